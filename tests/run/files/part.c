// part of main.c
#include <assert.h>

int shared;

static int local(int n) {
    return n - 1;
}

int other(int n) {
    assert(n != 4 || shared != 1); // expect: assert
    return local(n) * shared;
}
