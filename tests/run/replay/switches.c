// run: --entry classify --all-errors
// paths: finished=9
// exit: 0
// complete: true
#include <stdint.h>

int classify(int8_t c, uint64_t big, short s) {
    switch (c) {
    case -128: return 1;
    case 0: return 2;
    case 'a' ... 'f': return 3;
    case 127: break;
    default: return 4;
    }
    switch (big) {
    case 0x8000000000000000: return 5;
    case 5: s++; // fall through
    case 6: s++; break;
    case ~0ull: return 6;
    }
    return s == 100 ? 7 : 8;
}
