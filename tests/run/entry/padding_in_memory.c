// As padding.c, for a struct that is returned through memory, one field of which is never written.
// run: --entry wide
// paths: finished=2
// exit: 0
// complete: true
struct wide {
    char a;
    long b[4];
    char c;
};

struct wide wide(int n) {
    struct wide result;
    result.a = 1;
    result.b[0] = n;
    result.b[1] = n < 0;
    result.b[3] = 5;
    result.c = n > 3 ? 6 : 7;
    if (n == 9)
        result.c = 8;
    return result;
}
