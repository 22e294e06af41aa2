// A struct travels padding and all. What is in the padding nobody knows; the rest is compared natively.
// run: --entry pair
// paths: finished=1
// exit: 0
// complete: true
struct pair {
    int a;
    char b; // one byte of padding follows
    short c[2];
};

struct pair pair(int n) {
    struct pair result;
    result.a = n;
    result.b = n > 3 ? 1 : 2;
    result.c[0] = result.c[1] = 4;
    return result;
}
