// sscanf, and reading from an empty standard input.
#include <stdio.h>
#include <string.h>

int main(void) {
    int a = 0, b = 0, n = 0;
    unsigned u = 0;
    long l = 0;
    short h = 0;
    char c = 0, word[20] = "", set[20] = "";
    double d = 0;
    float f = 0;
    printf("%d", sscanf("12 -34", "%d%d", &a, &b));
    printf(" %d %d\n", a, b);
    printf("%d", sscanf("0x1f 077 99", "%i %i %u", &a, &b, &u));
    printf(" %d %d %u\n", a, b, u);
    printf("%d", sscanf("hello 3.5e2 -0.25", "%s %lf %f", word, &d, &f));
    printf(" %s %g %g\n", word, d, f);
    printf("%d", sscanf("abc123", "%3s%hd%n", word, &h, &n));
    printf(" %s %d %d\n", word, h, n);
    printf("%d", sscanf("k=v;", "%[a-z]=%[^;]", set, word));
    printf(" %s %s\n", set, word);
    printf("%d", sscanf("1,2", "%d,%c", &a, &c));
    printf(" %d %c\n", a, c);
    printf("%d", sscanf("5 apples", "%*d %s", word));
    printf(" %s\n", word);
    printf("%d", sscanf("ff 777", "%x %o", &u, &b));
    printf(" %u %d\n", u, b);
    printf("%d %d\n", sscanf("", "%d", &a), sscanf("x", "%d", &a));
    printf("%d", sscanf("123456789012", "%5ld", &l));
    printf(" %ld\n", l);
    printf("%d\n", sscanf("10%", "%d%%%n", &a, &n));
    printf("%d\n", getchar());
    char line[10];
    printf("%d\n", fgets(line, sizeof line, stdin) == NULL);
    return a;
}
