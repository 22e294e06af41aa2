int other = 4;
int total = 3;
void add(int x) { total += x; other++; }
