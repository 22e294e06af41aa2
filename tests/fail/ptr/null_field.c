// A field of a null pointer is at a small address that is not null itself.
// run: --entry get
// paths: finished=1 error=1
// exit: 1
// complete: true
struct big {
    int head[100];
    int tail;
};

static struct big there;

int get(int have) {
    struct big *p = have ? &there : 0;
    return p->tail; // expect: ptr "null"
}
