// run: --all-errors
// Output of unknown values, in every conversion.
// paths: finished=6
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    struct {
        int i;
        unsigned short u;
        long long l;
        char c, text[4];
        double d;
        float f;
    } in;
    klee_make_symbolic(&in, sizeof in, "in");
    in.text[3] = 0;
    printf("%d|%5d|%-5d|%05d|%x|%#o|%+d\n", in.i, in.i, in.i, in.i, in.i, in.i, in.i);
    printf("%hu|%lld|%llx|%c|%s|%.2s|%6s|\n", in.u, in.l, in.l, in.c, in.text, in.text, in.text);
    printf("%f|%g|%e|%a|%.2f\n", in.d, in.d, in.d, in.d, in.f);
    putchar(in.c);
    fputs(in.text, stdout);
    puts(in.text);
    fwrite(in.text, 1, 3, stdout);
    if (in.i == 12345 && in.l < -5) printf("%d %lld", in.i, in.l);
    if (in.text[1] == 'x') putchar(in.text[0]);
    return in.c == 'q';
}
