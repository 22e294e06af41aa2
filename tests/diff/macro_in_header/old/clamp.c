#include "limit.h"

int clamp(int value) {
    if (value > LIMIT) // changed
        return LIMIT; // changed
    return value;
}

int half(int value) {
    return value / 2;
}
