// Preferences choose the values of tests, where the path leaves a choice; they add no paths.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
    char text[3];
    klee_make_symbolic(text, sizeof text, "text");
    for (int i = 0; i < 3; i++) {
        klee_prefer_cex(text, 'a' <= text[i] & text[i] <= 'z');
        klee_posix_prefer_cex(text, text[i] != 'a');
    }
    if (text[0] == 'q')
        return 1;
    return text[1] < 0 ? 2 : 3;
}
