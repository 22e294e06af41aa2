// setjmp and longjmp: out of nested calls, out of loops, several buffers, values that survive.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf outer, inner;
static int depth_reached;

__attribute__((noinline)) static void descend(int depth) {
    char frame[32];
    for (int i = 0; i < 32; i++) frame[i] = (char)depth;
    depth_reached = depth;
    if (depth == 10) longjmp(outer, frame[5] + 1);
    descend(depth + 1);
    printf("not reached %d\n", frame[0]);
}

static int try_parse(const char *text) {
    volatile int value = 0;
    switch (setjmp(inner)) {
    case 0:
        for (const char *p = text; *p; p++) {
            if (*p == '!') longjmp(inner, 1);
            if (*p < '0' || *p > '9') longjmp(inner, 2);
            value = value * 10 + (*p - '0');
        }
        return value;
    case 1: return -value;
    case 2: return -1;
    default: return -2;
    }
}

struct context {
    struct context *previous;
    jmp_buf buffer;
};

static struct context *top;

__attribute__((noinline)) static void raise_error(int code) { longjmp(top->buffer, code); }

static int guarded(int levels, int code) {
    struct context here = {top};
    top = &here;
    int got = setjmp(here.buffer);
    if (got == 0) {
        if (levels > 0) guarded(levels - 1, code);
        raise_error(code + levels);
    }
    top = here.previous;
    printf("level %d got %d\n", levels, got);
    return got;
}

int main(void) {
    int result = setjmp(outer);
    if (result == 0) descend(0);
    printf("%d %d\n", result, depth_reached);

    volatile int count = 0;
    if (setjmp(outer) < 5) {
        count++;
        if (count < 5) longjmp(outer, count);
    }
    printf("%d\n", count);

    printf("%d %d %d %d\n", try_parse("123"), try_parse("12!3"), try_parse("x"), try_parse(""));
    printf("%d\n", guarded(3, 100));

    // A jump with 0 arrives as 1.
    volatile int once = 0;
    int arrived = setjmp(outer);
    if (!once) {
        once = 1;
        longjmp(outer, 0);
    }
    printf("%d\n", arrived);

    volatile int turns = 0;
    for (volatile int i = 0; i < 3; i++) {
        if (setjmp(inner) == 0) {
            int *memory = malloc(sizeof(int));
            *memory = i;
            turns += *memory;
            free(memory);
            longjmp(inner, 1);
        } else {
            turns += 10;
        }
    }
    printf("%d\n", turns);
    // A copy of a buffer is as good.
    jmp_buf copies[2];
    volatile int copied = 0;
    if (setjmp(inner) == 0) {
        copied = 1;
        memcpy(&copies[1], &inner, sizeof inner);
        memset(&inner, 0, sizeof inner);
        longjmp(copies[1], 7);
    }
    printf("%d\n", copied);
    return count;
}
