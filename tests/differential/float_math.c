// Mathematical functions, printed in full.
#include <math.h>
#include <stdio.h>

static volatile double values[] = {0.0, 1.0, -1.0, 0.5, 2.0, 10.0, -0.3, 3.7, 100.25, 1e-5, 0.999};

int main(void) {
    for (int i = 0; i < 11; i++) {
        double x = values[i], p = fabs(x) + 0.1;
        float f = (float)x, fp = fabsf(f) + 0.1f;
        printf("%a %a %a %a %a %a\n", sin(x), cos(x), tan(x), atan(x), exp(x), exp2(x));
        printf("%a %a %a %a %a\n", log(p), log2(p), log10(p), sqrt(p), cbrt(x));
        printf("%a %a %a %a %a\n", sinh(x), cosh(x), tanh(x), expm1(x), log1p(p));
        if (x >= -1 && x <= 1) printf("%a %a\n", asin(x), acos(x));
        printf("%a %a %a %a\n", sinf(f), cosf(f), expf(f), logf(fp));
        for (int j = 0; j < 11; j++) {
            double y = values[j];
            printf(" %a %a %a", pow(p, y), atan2(x, y), hypot(x, y));
            printf(" %a %a", powf(fp, (float)y), atan2f(f, (float)y));
            printf(" %a %a\n", fmod(x, y + 0.7), remainder(x, y + 0.7));
        }
        printf("%a %a %a %a\n", ldexp(x, i - 5), scalbn(x, 4), logb(p), (double)ilogb(p));
        printf("%a %a %ld %lld\n", floor(x), round(x), lround(x), llrint(x));
    }
    return 0;
}
