// run: --entry count --array-len 3 --all-errors
// Text behind a pointer, cut into words.
// paths: finished=32
// exit: 0
// complete: true
#include <ctype.h>
#include <string.h>

int count(const char *text, char *out) {
    int words = 0, inside = 0;
    if (!text || !out) return -1;
    for (const char *p = text; *p; p++) {
        if (isspace((unsigned char)*p)) inside = 0;
        else if (!inside) inside = 1, words++;
    }
    out[0] = (char)toupper((unsigned char)text[0]);
    return words * 10 + (out[0] == 'Q') + (int)strlen(text);
}
