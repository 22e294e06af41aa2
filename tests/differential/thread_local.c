// Thread-local variables, statics of functions, constructors, destructors and atexit.
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int counter = 5;
_Thread_local int shared_counter;
static __thread struct {
    int a;
    char text[8];
    int *self;
} record = {1, "tls", NULL};
extern _Thread_local int shared_counter;

static int calls(void) {
    static int count;
    static _Thread_local int per_thread = 100;
    static const int *last;
    static int values[3] = {7, 8, 9};
    last = last ? last + 1 : values;
    return ++count * 1000 + per_thread++ + *last;
}

static int order;

__attribute__((constructor(201))) static void first(void) {
    order = order * 10 + 1;
    puts("constructor 1");
}
__attribute__((constructor(202))) static void second(void) {
    order = order * 10 + 2;
    puts("constructor 2");
}
__attribute__((constructor)) static void last(void) { order = order * 10 + 3; }
__attribute__((destructor)) static void ending(void) { printf("destructor %d\n", order); }
__attribute__((destructor(300))) static void later(void) { puts("destructor 300"); }

static void at_exit_one(void) { puts("atexit 1"); }
static void at_exit_two(void) {
    puts("atexit 2");
    atexit(at_exit_one);
}

int main(void) {
    printf("%d\n", order);
    atexit(at_exit_two);
    int *p = &counter;
    *p += 2;
    shared_counter += counter;
    record.self = &record.a;
    *record.self = 9;
    printf("%d %d %d %s\n", counter, shared_counter, record.a, record.text);
    int a = calls(), b = calls(), c = calls();
    printf("%d %d %d\n", a, b, c);
    exit(3);
}
