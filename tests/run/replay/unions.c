// run: --entry pun --all-errors
// One memory read as several types.
// paths: finished=6
// exit: 0
// complete: true
#include <stdint.h>
#include <string.h>

union value {
    uint32_t word;
    float number;
    uint8_t bytes[4];
    struct {
        uint16_t low, high;
    } halves;
};

int pun(union value v, const char *raw) {
    if (v.bytes[3] == 0x40 && v.number > 2.0f) return 1;
    if (v.halves.high == 0xbeef) return v.bytes[0] == 1 ? 2 : 3;
    uint16_t loaded;
    if (!raw) return 4;
    memcpy(&loaded, raw, 1);
    ((uint8_t *)&loaded)[1] = v.bytes[1];
    return loaded == 0x4142 ? 5 : 6;
}
