// Switches over 8 and 64 bits.
// run: --entry classify
// paths: finished=5
// exit: 0
// complete: true
int classify(unsigned char small, long long large) {
    switch (small) {
    case 255: return 1;
    case 128: return 2;
    }
    switch (large) {
    case 1LL << 40: return 3;
    case -1: return 4;
    default: return 5;
    }
}
