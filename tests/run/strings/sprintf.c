// What is printed into memory can be decided on.
// paths: finished=5
// exit: 0
// complete: true
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[16];
    int n = klee_range(0, 30, "n");
    int length = snprintf(text, sizeof text, "<%d>", n);
    if (length == 3)
        return text[1] == '7' ? 1 : 2;
    return strcmp(text, "<25>") == 0 ? 3 : 4;
}
