int two(int x) { return x * 2; }
int three(int x) { return x * 3; }
