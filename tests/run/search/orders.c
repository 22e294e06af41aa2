// Every search order finds the same paths.
// run: --entry f
// also: --search bfs
// also: --search random
// also: --search random --seed 12345
// also: --search coverage
// also: -j1
// also: -j5 --search bfs
// paths: finished=47 error=16
// exit: 1
// complete: true
#include <assert.h>

int f(int a, int b) {
    int steps = 0;
    while (a > 0 && steps < 4) {
        if (b & 1 << steps)
            a -= 3;
        else
            a -= 50;
        steps++;
    }
    assert(a != -5); // expect: assert
    return steps;
}
