int g(long x) { return x == 3; }
