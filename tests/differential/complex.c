// Complex numbers: the operators that clang expands itself or leaves to the compiler's runtime.
#include <complex.h>
#include <stdio.h>

static volatile double parts[] = {0.0, 1.0, -2.5, 3.0, 1e10, 0.125};

__attribute__((noinline)) static double complex multiply(double complex a, double complex b) { return a * b; }
__attribute__((noinline)) static float complex add(float complex a, float complex b) { return a + b; }
__attribute__((noinline)) static long double complex twice(long double complex a) { return a + a; }

static void show(double complex z) { printf("%a %a\n", creal(z), cimag(z)); }

int main(void) {
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            double complex a = parts[i] + parts[j] * I, b = parts[j] - parts[(i + 1) % 6] * I;
            show(a + b);
            show(a - b);
            show(multiply(a, b));
            show(-a);
            show(~a);
            show(conj(b) * 2.0);
            show(a * I);
            printf("%d %d %d\n", a == b, a != b, a == a);
            float complex f = (float complex)a;
            f = add(f, f * 3.0f);
            printf("%a %a\n", crealf(f), cimagf(f));
            long double complex l = twice(a);
            printf("%La %La\n", creall(l), cimagl(l));
            __real__ a = 7;
            __imag__ a += 1;
            show(a);
            a += b;
            a *= 2;
            show(a);
            int complex k = (int)parts[i] + (int)parts[j] * 2i;
            k = k * k + 1;
            printf("%d %d\n", __real__ k, __imag__ k);
            if (a) printf("nonzero\n");
        }
    }
    double complex z = 0, c = parts[5] + 0.5 * I;
    for (int i = 0; i < 30; i++) z = z * z + c;
    show(z);
    double complex q = (1.0 + 2.0 * I) / (parts[3] - 4.0 * I);
    printf("%.12g %.12g\n", creal(q), cimag(q));
    return 0;
}
