// Computed goto: a small byte-code interpreter.
// run: --entry run
// paths: finished=9
// exit: 0
// complete: true
int run(unsigned char a, unsigned char b) {
    static const void *const labels[] = {&&stop, &&twice, &&less};
    unsigned char code[3] = {a & 3, b & 3, 0};
    int at = 0, value = 5;
    if (code[0] > 2 || code[1] > 2)
        return -1;
    goto *labels[code[at++]];
twice:
    value *= 2;
    goto *labels[code[at++]];
less:
    value -= 1;
    goto *labels[code[at++]];
stop:
    return value;
}
