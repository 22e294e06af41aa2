// run: --entry paint --all-errors
// paths: finished=10
// exit: 0
// complete: true
#include <stdbool.h>

enum color { RED, GREEN = 10, BLUE };
typedef enum color (*chooser)(int);

int paint(enum color c, bool dark, const enum color *palette, char **names) {
    if (c == GREEN) return dark ? 1 : 2;
    if (palette && palette[1] == BLUE) return 3;
    if (names && names[0] && names[0][0] == 'x') return names[0][1] == 0 ? 4 : 5;
    return dark + (c == BLUE);
}
