static int one(int x) { return x + 1; }
int two(int x) { return one(x) + 1; }
