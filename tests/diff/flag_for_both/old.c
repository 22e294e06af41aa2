#ifndef N
#define N 1
#endif

int f(int x) {
    return x + N;
}

int g(int x) {
    return x - 1;
}
