// __builtin_setjmp and __builtin_longjmp: out of calls, of the same function again, several buffers.
#include <stdio.h>

static void *outer[5], *inner[5];

__attribute__((noinline)) static void leave(int depth) {
    if (depth == 0) __builtin_longjmp(outer, 1);
    leave(depth - 1);
}

__attribute__((noinline)) static int once(int n) {
    volatile int count = 0;
    if (__builtin_setjmp(inner)) return count * 10 + n;
    count++;
    if (n > 3) leave(0);
    return n;
}

int main(void) {
    volatile int state = 1;
    if (__builtin_setjmp(outer) == 0) {
        state = 2;
        leave(3);
        puts("not reached");
    } else {
        printf("back %d\n", state);
    }
    printf("%d %d\n", once(2), state);
    return state;
}
