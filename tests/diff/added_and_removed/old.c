int lost = 1;
int stays(int x) { return x; }
int gone(int x) { return x + 2; }
