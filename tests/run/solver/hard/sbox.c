// Two look-ups in a table of 256 bytes, one after the other.
// paths: finished=3
// exit: 0
// complete: true
#include <klee/klee.h>
int main(void) {
    unsigned char table[256], key[2];
    for (int i = 0; i < 256; i++)
        table[i] = (unsigned char)((i * 167 + 13) ^ (i >> 3));
    klee_make_symbolic(key, sizeof key, "key");
    unsigned char once = table[key[0]], twice = table[(unsigned char)(once ^ key[1])];
    if (twice == 0x5a && (key[0] & 15) == 7)
        return 1;
    return 0;
}
