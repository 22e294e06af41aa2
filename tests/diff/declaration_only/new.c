extern int elsewhere;
struct unused { int a, b; };
int never_called(int);
int f(int x) { return x + 1; }
