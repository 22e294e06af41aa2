// INT_MIN / -1 and INT_MIN % -1 trap on the machine, so they are errors here.
// run: --entry divide --assume 'b != 0 && d != 0'
// paths: finished=6 error=4
// exit: 1
// complete: true
#include <limits.h>

long long divide(int which, int a, int b, long long c, long long d) {
    switch (which) {
    case 0: return a / b; // expect: div
    case 1: return a % b; // expect: div
    case 2: return c / d; // expect: div
    case 3: return c % d; // expect: div
    case 4: return (short)a / (short)(b | 1); // no overflow: done as int
    default: return 0;
    }
}
