// Bit-fields of several widths, signed and unsigned, across bytes.
// run: --entry pack
// paths: finished=11
// exit: 0
// complete: true
struct flags {
    unsigned low : 3;
    int middle : 7;
    unsigned high : 20;
    _Bool last : 1;
};

int pack(int n, struct flags given) {
    struct flags made = {.low = (unsigned)n, .middle = n, .high = (unsigned)n, .last = n};
    if (made.low == 5 && made.middle == -3)
        return 1;
    if (given.low == 7 && given.middle == -64)
        return 2;
    return given.high == 0xfffff ? 3 : made.last;
}
