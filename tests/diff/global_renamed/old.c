int sum = 3;
int other = 4;
void add(int x) { sum += x; other++; }
