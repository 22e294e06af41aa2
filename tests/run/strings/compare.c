// The library's comparisons of a symbolic string with literals.
// run: --entry command
// paths: finished=7
// exit: 0
// complete: true
#include <string.h>

int command(const char *word) {
    if (!word)
        return -1;
    if (strcmp(word, "go") == 0)
        return 1;
    if (strncmp(word, "st", 2) == 0)
        return 2;
    return memcmp(word, "x", 1) == 0 ? 3 : 4;
}
