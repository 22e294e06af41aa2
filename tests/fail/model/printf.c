// More conversions than arguments.
// replay: no natively whatever is in the registers gets printed
// run: --entry show -Wno-format
// paths: finished=1 error=1
// exit: 1
// complete: true
#include <stdio.h>

int show(int n) {
    if (n == 4)
        return printf("%d %d\n", n); // expect: model
    return 0;
}
