// A switch with gaps, ranges that share a block, and fall-through.
// run: --entry classify
// paths: finished=6
// exit: 0
// complete: true
int classify(int n) {
    int sum = 0;
    switch (n) {
    case 1: sum += 1; // falls through
    case 2: sum += 2; break;
    case 10:
    case 11:
    case 12: sum = 10; break;
    case -5: sum = -5; break;
    case 1000000: sum = 6; break;
    default: sum = 99;
    }
    return sum;
}
