// Concrete floats are exact in all formats.
// paths: finished=1
// exit: 0
// complete: true
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double third = 1.0 / 3.0;
    volatile float f = 16777217.0f;
    volatile long double l = 1.0L / 3.0L;
    printf("%.17g %.9g %.20Lg\n", third, f, l);
    printf("%d %u %g\n", (int)-2.75, (unsigned)3.99, floor(-0.5));
    printf("%a %e %.3f\n", third, 1e300 * 1e10, sqrt(2.0));
    return isnan(NAN) && isinf(INFINITY) ? 0 : 1;
}
