// Functions as values: tables, callbacks, in structs, returned, compared, through casts, with structs as arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int max(int a, int b) { return a > b ? a : b; }

static const struct {
    const char *name;
    binary function;
} table[] = {{"add", add}, {"sub", sub}, {"mul", mul}, {"max", max}};

static binary choose(char c) {
    switch (c) {
    case '+': return add;
    case '-': return sub;
    case '*': return mul;
    default: return NULL;
    }
}

struct shape;
struct methods {
    double (*area)(const struct shape *);
    void (*scale)(struct shape *, double);
    const char *(*name)(void);
};
struct shape {
    const struct methods *methods;
    double a, b;
};
static double square_area(const struct shape *s) { return s->a * s->a; }
static double box_area(const struct shape *s) { return s->a * s->b; }
static void scale_one(struct shape *s, double by) { s->a *= by; }
static void scale_both(struct shape *s, double by) { s->a *= by, s->b *= by; }
static const char *square_name(void) { return "square"; }
static const char *box_name(void) { return "box"; }
static const struct methods square = {square_area, scale_one, square_name}, box = {box_area, scale_both, box_name};

static void each(int *a, int n, void (*visit)(int *, void *), void *context) {
    for (int i = 0; i < n; i++) visit(&a[i], context);
}
static void accumulate(int *x, void *context) { *(long *)context += *x; }
static void twice(int *x, void *context) { *x *= 2, ++*(int *)context; }

struct big {
    int a[10];
};
static struct big fill(int start) {
    struct big b;
    for (int i = 0; i < 10; i++) b.a[i] = start + i;
    return b;
}
static int total(struct big b) {
    int sum = 0;
    for (int i = 0; i < 10; i++) sum += b.a[i];
    return sum;
}

typedef struct state *(*step)(int *);
struct state {
    step next;
};
static struct state *step_b(int *);
static struct state *step_a(int *n) {
    static struct state s = {step_b};
    printf("a%d ", *n);
    return --*n > 0 ? &s : NULL;
}
static struct state *step_b(int *n) {
    static struct state s = {step_a};
    printf("b%d ", *n);
    return --*n > 0 ? &s : NULL;
}

static int compare_down(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
static int compare_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void) {
    volatile int x = 12, y = 5;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) printf("%s %d\n", table[i].name, table[i].function(x, y));
    for (const char *p = "+-*/"; *p; p++) {
        binary f = choose(*p);
        printf("%d %d\n", f ? f(x, y) : -1, f == add);
    }
    struct shape shapes[] = {{&square, 3, 0}, {&box, 2, 5}};
    for (int i = 0; i < 2; i++) {
        struct shape *s = &shapes[i];
        s->methods->scale(s, 1.5);
        printf("%s %g\n", s->methods->name(), s->methods->area(s));
    }
    int numbers[] = {4, 8, 15, 16, 23, 42};
    long sum = 0;
    int calls = 0;
    each(numbers, 6, twice, &calls);
    each(numbers, 6, accumulate, &sum);
    printf("%ld %d\n", sum, calls);
    struct big (*make)(int) = x > 3 ? fill : NULL;
    int (*measure)(struct big) = total;
    printf("%d\n", measure(make(y)));
    int n = 5;
    step s = step_a;
    for (struct state *next; (next = s(&n)); s = next->next) {}
    printf("\n");
    qsort(numbers, 6, sizeof *numbers, compare_down);
    for (int i = 0; i < 6; i++) printf("%d ", numbers[i]);
    const char *words[] = {"pear", "apple", "fig", "banana"};
    qsort(words, 4, sizeof *words, compare_text);
    for (int i = 0; i < 4; i++) printf("%s ", words[i]);
    const char *key = "fig", **found = bsearch(&key, words, 4, sizeof *words, compare_text);
    printf("%td\n", found ? found - words : -1);
    void *generic = (void *)mul;
    printf("%d %d\n", ((binary)generic)(3, 4), (***&add)(1, 2));
    int (*printer)(const char *, ...) = printf;
    printer("%s %d\n", "through a pointer", 5);
    return table[y % 4].function(x, y);
}
