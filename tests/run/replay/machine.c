// run: --all-errors
// A machine whose program is the input.
// paths: finished=13
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    unsigned char code[4];
    klee_make_symbolic(code, sizeof code, "code");
    int stack[2] = {0}, top = 0;
    for (int pc = 0; pc < 4; pc++) {
        switch (code[pc]) {
        case 'p':
            if (top == 2) return puts("overflow"), 1;
            stack[top++] = pc;
            break;
        case '+':
            if (top < 2) return puts("underflow"), 2;
            top--;
            stack[0] += stack[1];
            break;
        case 'h': return printf("halt %d\n", top ? stack[top - 1] : -1), 3;
        default: return 4;
        }
    }
    return 5;
}
