// Are the brackets balanced? Every text of N characters that is told apart.
// run: -DN=4
// paths: finished=269
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    char text[N + 1], open[N + 1];
    int depth = 0;
    klee_make_symbolic(text, sizeof text, "text");
    text[N] = 0;
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '(': open[depth++] = ')'; break;
        case '[': open[depth++] = ']'; break;
        case ')':
        case ']':
            if (depth == 0 || open[--depth] != *p)
                return 1;
        }
    }
    return depth == 0 ? 0 : 2;
}
