// The same with the input ruled out: nothing is left.
// run: --entry length --assume 't != 0'
// paths: finished=1
// exit: 0
// complete: true
struct text {
    int length;
    char bytes[8];
};

int length(const struct text *t) {
    return t->length;
}
