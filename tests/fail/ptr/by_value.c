// An array inside a struct that was passed by value.
// run: --entry start
// paths: finished=2 error=1
// exit: 1
// complete: true
struct window {
    long left[6];
    int size;
};

static long edge(struct window w, int at) {
    return w.left[at]; // expect: ptr
}

int start(int at) {
    struct window w = {{1, 2, 3, 4, 5, 6}, 6};
    if (at < 0)
        return 0;
    return (int)edge(w, at);
}
