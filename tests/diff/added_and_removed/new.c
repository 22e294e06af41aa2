char found = 2;
int stays(int x) { return x; }
long came(long x, long y) { return x * y; }
