// Length and search in a symbolic string.
// run: --entry inspect --array-len 3
// paths: finished=16
// exit: 0
// complete: true
#include <string.h>

int inspect(const char *text) {
    if (!text)
        return -1;
    size_t length = strlen(text);
    const char *dot = strchr(text, '.');
    const char *last = strrchr(text, '.');
    if (dot && dot != last)
        return (int)(last - dot);
    return (int)length;
}
