static int dead(int x) { return x * 7; }
int f(int x) { return x + 1; }
