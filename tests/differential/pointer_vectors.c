// Arrays of addresses that -O2 stores as vectors of pointers, constant and computed.
#include <stdio.h>
#include <string.h>

static float input[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int counts[4];
static float *places[4];
static const char *names[4];

struct cursor {
    float *begin, *end;
    int *count, *last;
};

__attribute__((noinline)) static void fill(struct cursor *c, int n) {
    c->begin = input;
    c->end = input + 1;
    c->count = counts;
    c->last = &counts[3];
    for (int i = 0; i < n; i++) places[i] = &input[i * 2];
}

__attribute__((noinline)) static void select_all(float **out, int which) {
    out[0] = which ? &input[0] : &input[4];
    out[1] = which ? &input[1] : &input[5];
    out[2] = which ? &input[2] : &input[6];
    out[3] = which ? &input[3] : &input[7];
}

__attribute__((noinline)) static float sum(float **p, int n) {
    float total = 0;
    for (int i = 0; i < n; i++) total = total * 10 + *p[i];
    return total;
}

int main(void) {
    struct cursor c;
    fill(&c, 4);
    printf("%g %g %td %g\n", *c.begin, *c.end, c.last - c.count, sum(places, 4));
    float *chosen[4];
    volatile int which = 1;
    select_all(chosen, which);
    printf("%g\n", sum(chosen, 4));
    select_all(chosen, !which);
    printf("%g\n", sum(chosen, 4));
    for (int i = 0; i < 4; i++) names[i] = "abcdefgh" + i * 2;
    printf("%s %s\n", names[1], names[3]);
    float *copy[4];
    memcpy(copy, chosen, sizeof copy);
    for (int i = 0; i < 4; i++) copy[i]--;
    printf("%g %d\n", sum(copy, 4), copy[0] < chosen[0]);
    return 0;
}
