// <string.h> and <ctype.h>, and <stdlib.h>'s conversions.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *volatile words[] = {"", "a", "abc", "abd", "Abc", "hello, world", "zzz", "hello", "\xff\x80", "needle in a haystack"};

static int sign(int x) { return (x > 0) - (x < 0); }

static void pairs(const char *a, const char *b) {
    printf("%d %d %d %d %d", sign(strcmp(a, b)), sign(strncmp(a, b, 3)), sign(strcasecmp(a, b)), sign(strcoll(a, b)),
           sign(strncasecmp(a, b, 2)));
    printf(" %zu %zu", strspn(a, b), strcspn(a, b));
    char *found = strstr(a, b), *any = strpbrk(a, b);
    printf(" %td %td", found ? found - a : -1, any ? any - a : -1);
    char buffer[64];
    strcpy(buffer, a);
    strcat(buffer, b);
    printf(" %zu", strlen(buffer));
    memset(buffer, 'x', sizeof buffer);
    strncpy(buffer, b, 8);
    buffer[10] = 0;
    printf(" %d", buffer[9]);
    strcpy(buffer, a);
    strncat(buffer, b, 4);
    printf(" %s %zu\n", buffer, strnlen(buffer, 5));
}

static void numbers(const char *text) {
    char *end;
    errno = 0;
    long l = strtol(text, &end, 0);
    printf("%ld %td %d", l, end - text, errno);
    errno = 0;
    unsigned long u = strtoul(text, &end, 10);
    printf(" %lu %td %d", u, end - text, errno);
    errno = 0;
    long long ll = strtoll(text, &end, 16);
    printf(" %lld %td %d", ll, end - text, errno);
    errno = 0;
    double d = strtod(text, &end);
    printf(" %a %td %d", d, end - text, errno);
    float f = strtof(text, &end);
    long double e = strtold(text, &end);
    printf(" %a %La", f, e);
    printf(" %d %lld %g\n", atoi(text), atoll(text), atof(text));
}

int main(void) {
    int n = sizeof words / sizeof *words;
    for (int i = 0; i < n; i++) {
        printf("%zu\n", strlen(words[i]));
        for (int j = 0; j < n; j++) pairs(words[i], words[j]);
        char *first = strchr(words[i], 'l'), *last = strrchr(words[i], 'l'), *end = strchr(words[i], 0);
        printf("%td %td %td\n", first ? first - words[i] : -1, last ? last - words[i] : -1, end - words[i]);
    }
    char line[] = "a,b;;c, d ,e", *rest = NULL;
    for (char *t = strtok(line, ",;"); t; t = strtok(NULL, ",;")) printf("<%s>", t);
    char again[] = "x=1&y=22&z", *state;
    for (char *t = strtok_r(again, "&", &state); t; t = strtok_r(NULL, "&", &state)) printf("[%s]", t);
    rest = again;
    printf("\n");
    char separated[] = "p::q:", *cursor = separated, *piece;
    while ((piece = strsep(&cursor, ":"))) printf("(%s)", piece);
    printf("%c\n", *rest);
    for (int c = -1; c < 256; c++)
        printf("%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c), !!isupper(c), !!islower(c),
               !!ispunct(c), !!isprint(c), !!iscntrl(c), !!isxdigit(c), !!isgraph(c), !!isblank(c), toupper(c), tolower(c));
    const char *texts[] = {"0", "42", "-17", "  +99x", "0x1F", "077", "abc", "", "99999999999999999999", "-9223372036854775808",
                           "1.5", "-2.5e3", "1e400", ".5", "5.", "inf", "-nan", "0x1.8p3", "1e-400", "123abc", "3.14159265358979323846",
                           "0.1", "1e22", "9007199254740993", "2.2250738585072011e-308", "+", "-", "e5", "1e", "1e+"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) numbers(texts[i]);
    for (int base = 2; base <= 36; base += 5) printf("%ld ", strtol("11012zZ", NULL, base));
    div_t d = div(-17, 5);
    ldiv_t l = ldiv(100000000007, -13);
    lldiv_t m = lldiv(7, 2);
    printf("\n%d %d %ld %ld %lld %lld\n", d.quot, d.rem, l.quot, l.rem, m.quot, m.rem);
    imaxdiv_t im = imaxdiv(-9, 4);
    printf("%jd %jd %jd\n", im.quot, im.rem, imaxabs(-5));
    char copy[20];
    char *after = stpcpy(copy, "stpcpy");
    printf("%s %td %s\n", copy, after - copy, (char *)memccpy(copy, "one.two", '.', 7) - 4);
    void *m1 = memmem("hello world", 11, "o w", 3);
    printf("%d %s\n", m1 != NULL, strerror(ENOENT));
    printf("%s %s\n", (char *)memrchr("a/b/c", '/', 5), strchrnul("abc", 'z')[0] ? "x" : "end");
    return (int)strlen(copy);
}
