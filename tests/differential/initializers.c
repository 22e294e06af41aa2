// Global initialisers: addresses of other globals, of their parts, of functions, of strings, and of what comes later.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

struct item {
    const char *name;
    int value;
    struct item *next;
    int (*get)(const struct item *);
    union {
        int i;
        double d;
        char c[4];
    } u;
};

static int get_value(const struct item *i) { return i->value; }
static int get_next(const struct item *i) { return i->next ? i->next->value : -1; }

static struct item third;
static struct item first = {"first", 1, &third, get_value, {.d = 2.5}};
static struct item second = {.value = 2, .name = "second", .get = get_next, .next = &first, .u = {.c = "abc"}};
static struct item third = {"third", 3, NULL, get_next, {7}};
static struct item *const items[] = {&first, &second, &third, NULL};

static int numbers[10] = {[3] = 30, 40, [8] = 80, [1] = 10};
static int *inside = &numbers[4], *past = numbers + 10;
static int **indirect[2] = {&inside, &past};
static const char text[] = "array\0with zero", *pointer = text + 6, fixed[3] = {'a', 'b', 'c'};
static const char *strings[] = {"one", "two", "three" + 2};
static const wchar_t wide[] = L"w\x1234";
static const uint16_t utf16[] = u"\u00e9!";
static ptrdiff_t distance = (char *)&second.u - (char *)&second;
static uintptr_t address = (uintptr_t)&numbers[2];
static const double doubles[] = {1.0 / 3, -0.0, 1e308 * 10, 5e-324};
static const float floats[] = {0.1f, 1e-45f};
static const long double extended = 1.0L / 7;
static const struct {
    char c;
    struct {
        short s;
        int : 0;
        unsigned bits : 5, more : 11;
    } inner[2];
    _Bool flag;
    long long big;
} nested = {'n', {{1, 2, 3}, {.more = 2000}}, 5, -1};
static int zeros[1000];
static struct item blank;
static const __int128 huge = ((__int128)1 << 100) + 5;
static int (*const functions[])(const struct item *) = {get_value, [2] = get_next};
static int with_range[20] = {[0 ... 9] = 5, [15 ... 19] = 7};
static void *self = &self;
extern int alias_of_numbers[3] __attribute__((alias("real_numbers")));
int real_numbers[3] = {100, 200, 300};
__attribute__((weak)) int weak_number = 11;
extern int missing __attribute__((weak));
static const int *compound = (const int[]){4, 5, 6};

int main(void) {
    for (struct item *const *p = items; *p; p++)
        printf("%s %d %d %s\n", (*p)->name, (*p)->value, (*p)->get(*p), (*p)->next ? (*p)->next->name : "-");
    printf("%g %s %d\n", first.u.d, second.u.c, third.u.i);
    for (int i = 0; i < 10; i++) printf("%d ", numbers[i]);
    printf("\n%d %td %d %td\n", *inside, past - numbers, **indirect[0], *indirect[1] - numbers);
    printf("%s %s %zu %.3s\n", text, pointer, sizeof text, fixed);
    printf("%s %s %s %d %x %zu\n", strings[0], strings[1], strings[2], (int)wide[0], (unsigned)wide[1], sizeof utf16);
    printf("%td %d %x\n", distance, address == (uintptr_t)(numbers + 2), utf16[0]);
    for (int i = 0; i < 4; i++) printf("%a ", doubles[i]);
    printf("%a %a %La\n", floats[0], floats[1], extended);
    printf("%c %d %u %u %u %d %lld\n", nested.c, nested.inner[0].s, nested.inner[0].bits, nested.inner[0].more, nested.inner[1].more,
           nested.flag, nested.big);
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += zeros[i];
    printf("%d %p %d %llx\n", sum, (void *)blank.name, blank.value, (unsigned long long)(huge >> 64));
    printf("%d %d %d\n", functions[0](&first), functions[1] == NULL, functions[2](&second));
    for (int i = 0; i < 20; i++) sum += with_range[i] * i;
    printf("%d %d\n", sum, self == &self);
    alias_of_numbers[1]++;
    printf("%d %d %d %d\n", real_numbers[1], weak_number, &missing == NULL, compound[2]);
    zeros[5] = 1;
    numbers[0] = zeros[5] + (int)sizeof nested;
    return numbers[0];
}
