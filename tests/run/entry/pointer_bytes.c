// An index that may leave its array, inside an object with pointers in it: those that are not reached are not decided.
// run: --entry f
// paths: finished=4 error=3
// exit: 1
// complete: true
#include <stddef.h>

struct stream {
    unsigned char *buffer;
    size_t pending;
    unsigned short bits;
    int valid;
    unsigned short length[40];
    struct stream *other;
};

int f(struct stream *s, unsigned short *code) {
    if (s == NULL || code == NULL)
        return -1;
    int length = s->length[*code]; // expect: ptr "offset"
    if (s->valid > 16 - length) {
        s->buffer[s->pending++] = (unsigned char)s->bits; // expect: ptr "null", ptr "offset"
        s->valid += length - 16;
    } else {
        s->valid += length;
    }
    return s->valid > 3 ? 1 : 2;
}
