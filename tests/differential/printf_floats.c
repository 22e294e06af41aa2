// printf: floats under every conversion, flag, width and precision.
#include <float.h>
#include <math.h>
#include <stdio.h>

static volatile double values[] = {0.0,  -0.0,  1.0,    -1.0,  0.5,    1.5,   2.5,     0.1,   1.0 / 3, 2.0 / 3,  9.9999, 99999.5, 999999.5, 1234567.0,
                                   1e10, 1e-5,  1.5e-7, 1e100, 1e-100, 5e-324, DBL_MAX, DBL_MIN, INFINITY, -INFINITY, NAN,    123.456, 0.0001, 100000, 1e15,
                                   1e16, 1e17, 0.05, 0.25, 0.125, 3.0000005};

int main(void) {
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        double d = values[i];
        printf("[%f][%e][%g][%a]\n", d, d, d, d);
        printf("[%F][%E][%G][%A]\n", d, d, d, d);
        printf("[%.0f][%.0e][%.0g][%.0a][%#.0f][%#.0e][%#.0g][%#.0a]\n", d, d, d, d, d, d, d, d);
        printf("[%.1f][%.2f][%.3f][%.10f][%.20f]\n", d, d, d, d, d);
        printf("[%.1e][%.2e][%.15e][%.17e][%.25e]\n", d, d, d, d, d);
        printf("[%.1g][%.2g][%.3g][%.15g][%.17g][%.25g]\n", d, d, d, d, d, d);
        printf("[%.1a][%.2a][%.5a][%.13a][%.15a]\n", d, d, d, d, d);
        printf("[%12f][%-12f][%012f][%+f][% f][%+012.3f]\n", d, d, d, d, d, d);
        printf("[%15e][%-15e][%015e][%+e][% e]\n", d, d, d, d, d);
        printf("[%12g][%-12g][%012g][%+g][% g]\n", d, d, d, d, d);
        printf("[%20a][%-20a][%020a][%+a][% a]\n", d, d, d, d, d);
        printf("[%*.*f][%-*.*e]\n", 10, 2, d, 14, 3, d);
        long double l = (long double)d * 1.1L;
        printf("[%Lf][%Le][%Lg][%La][%.20Lg]\n", l, l, l, l, l);
        printf("[%f][%g]\n", (float)d, (float)d);
    }
    printf("%.300f\n", 1e-300);
    printf("%.60f\n", 0.1);
    printf("%.3f %.3f %.3f %.3f\n", 0.0005, 0.0015, 0.0025, 2.0005);
    printf("%g %g %g %g\n", 123456.0, 1234567.0, 0.00012345, 0.000012345);
    return 0;
}
