// What was promised never to happen can happen.
// run: --entry name
// paths: finished=2 error=1
// exit: 1
// complete: true
int name(int color) {
    switch (color) {
    case 0: return 'r';
    case 1: return 'g';
    default: __builtin_unreachable(); // expect: unreachable
    }
}
