int two(int x);
int one(int x) { return x + two(x); }
