// Calls that -O2 turns into others: printf to puts, memcmp to bcmp, sprintf to copies, loops to memset and memcpy.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int n = 10;
static char buffer[100], other[100];

__attribute__((noinline)) static int same(const char *a, const char *b, size_t size) { return memcmp(a, b, size) == 0; }
__attribute__((noinline)) static int starts(const char *a, const char *b) { return strncmp(a, b, strlen(b)) == 0; }
__attribute__((noinline)) static int is_word(const char *a) { return !strcmp(a, "word") || !memcmp(a, "abc", 3); }
__attribute__((noinline)) static void clear(int *a, int count) {
    for (int i = 0; i < count; i++) a[i] = 0;
}
__attribute__((noinline)) static void copy(double *restrict a, const double *restrict b, int count) {
    for (int i = 0; i < count; i++) a[i] = b[i];
}
__attribute__((noinline)) static void shift(short *a, int count) {
    for (int i = 0; i < count - 1; i++) a[i] = a[i + 1];
}
__attribute__((noinline)) static char *find_end(char *s) { return strchr(s, '\0'); }
__attribute__((noinline)) static double power(double x) { return pow(x, 2) + pow(x, 0.5) + pow(2, x) + exp2(x) + pow(x, -1); }
__attribute__((noinline)) static int find_byte(const char *s, int c) { return memchr("aeiou", c, 5) != NULL && s[0]; }

int main(void) {
    printf("constant\n");
    printf("%s\n", "text");
    printf("%c", 'c');
    printf("x");
    printf("\n");
    printf("%s", "");
    fprintf(stdout, "plain %s\n", "f");
    fputs("single", stdout);
    fputs("\n", stdout);
    fwrite("w", 1, 1, stdout);
    puts("");
    sprintf(buffer, "copy");
    sprintf(other, "%s", buffer);
    printf("%d %s\n", sprintf(buffer, "%c%s", 'x', "yz"), other);
    snprintf(buffer, sizeof buffer, "%s", "bounded");
    printf("%d%d%d\n", same(buffer, "bounded", 8), same("abcd", "abce", (size_t)n / 3), same("x", "y", (size_t)n / 10));
    printf("%d%d%d%d\n", starts("prefix", "pre"), starts("pre", "prefix"), is_word("word"), is_word("abcd"));
    strcpy(buffer, "abc");
    strcat(buffer, "def");
    strcat(strcpy(other, buffer), "!");
    printf("%s %s %td\n", buffer, other, find_end(other) - other);
    strncpy(buffer, "truncated", 5);
    printf("%.5s %zu\n", buffer, strlen("const") + strlen(buffer));
    int numbers[20];
    for (int i = 0; i < 20; i++) numbers[i] = i;
    clear(numbers, n);
    printf("%d %d\n", numbers[9], numbers[10]);
    double d[5] = {1, 2, 3, 4, 5}, e[5];
    copy(e, d, 5);
    printf("%g\n", e[4]);
    short s[6] = {1, 2, 3, 4, 5, 6};
    shift(s, 6);
    printf("%d %d\n", s[0], s[4]);
    printf("%.10g\n", power(n));
    printf("%d%d\n", find_byte("x", 'e'), find_byte("x", 'z'));
    printf("%d %ld %g %g\n", abs(-n), labs(-5l), fabs(-2.5), floor(n + 0.5));
    printf("%d\n", atoi("17"));
    printf("%g %g %g\n", sqrt(16.0) * sqrt(n * n), cbrt(27), fmin(1, n));
    printf("%d\n", __builtin_ffs(n * 8));
    char *m = calloc((size_t)n, 1);
    printf("%d\n", m[9]);
    m = realloc(m, 40);
    memset(m, 'z', 39);
    m[39] = 0;
    printf("%s\n", m);
    free(m);
    exit(n - 7);
}
