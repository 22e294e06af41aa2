// Labels as values: a threaded interpreter, label differences, tables of labels.
#include <stdio.h>

enum { PUSH, ADD, MUL, DUP, SWAP, PRINT, JUMP_IF, HALT };

static int run(const int *code) {
    static void *const table[] = {&&push, &&add, &&mul, &&dup, &&swap, &&print, &&jump_if, &&halt};
    int stack[16], top = 0, steps = 0;
#define NEXT goto *table[*code++]
    NEXT;
push:
    stack[top++] = *code++;
    steps++;
    NEXT;
add:
    top--;
    stack[top - 1] += stack[top];
    NEXT;
mul:
    top--;
    stack[top - 1] *= stack[top];
    NEXT;
dup:
    stack[top] = stack[top - 1];
    top++;
    NEXT;
swap : {
    int t = stack[top - 1];
    stack[top - 1] = stack[top - 2];
    stack[top - 2] = t;
    NEXT;
}
print:
    printf("%d\n", stack[top - 1]);
    NEXT;
jump_if:
    if (stack[top - 1] < 100) code += *code;
    else code++;
    NEXT;
halt:
    return steps * 1000 + stack[0];
}

static int offsets(int i) {
    static const int table[] = {&&a - &&a, &&b - &&a, &&c - &&a};
    goto *(&&a + table[i]);
a:
    return 10;
b:
    return 20;
c:
    return 30;
}

static int state_machine(const char *text) {
    void *state = &&outside;
    int words = 0;
    for (; *text; text++) {
        goto *state;
    outside:
        if (*text != ' ') {
            words++;
            state = &&inside;
        }
        continue;
    inside:
        if (*text == ' ') state = &&outside;
    }
    return words;
}

int main(void) {
    static const int program[] = {PUSH, 3, DUP, PRINT, MUL, PRINT, PUSH, 5, ADD, DUP, PRINT, JUMP_IF, -8, HALT};
    static const int simple[] = {PUSH, 2, PUSH, 3, SWAP, PRINT, ADD, PRINT, HALT};
    printf("%d\n", run(simple));
    (void)program;
    printf("%d %d %d\n", offsets(0), offsets(1), offsets(2));
    printf("%d\n", state_machine("  the quick  brown fox "));
    return state_machine("a b c");
}
