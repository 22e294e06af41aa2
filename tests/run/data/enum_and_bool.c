// Enums range over all values of their type; a bool is 0 or 1.
// run: --entry f
// paths: finished=4
// exit: 0
// complete: true
#include <stdbool.h>

enum color { red, green = 5, blue };

int f(enum color c, bool flag) {
    switch (c) {
    case red: return 1;
    case green: return 2;
    case blue: return 3;
    }
    return flag + flag == 2 ? 4 : 5;
}
