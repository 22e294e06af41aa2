// An input pointer is followed before it is tested.
// run: --entry length
// paths: finished=1 error=1
// exit: 1
// complete: true
struct text {
    int length;
    char bytes[8];
};

int length(const struct text *t) {
    return t->length; // expect: ptr "t is null"
}
