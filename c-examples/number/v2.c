// Parses numbers with a sign, a prefix and underscores.
#include <stdbool.h>
#include <stddef.h>

enum { VALUE_MOST = 2000, DECIMAL = 10, HEXADECIMAL = 16, BINARY = 2 };

enum result { GOOD, EMPTY, BAD_DIGIT, BAD_UNDERSCORE, TOO_LARGE };

int number;

// A place in a text.
struct reader {
    const char *at;
};

static bool take(struct reader *reader, char wanted) {
    if (*reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

// The value of a digit, or -1.
static int digit_value(char c, int base) {
    int value = -1;
    if (c >= '0' && c <= '9')
        value = c - '0';
    else if (c >= 'a' && c < 'f')
        value = c - 'a' + 10;
    return value < base ? value : -1;
}

static int read_base(struct reader *reader) {
    if (reader->at[0] != '0')
        return DECIMAL;
    if (reader->at[1] == 'x') {
        reader->at += 2;
        return HEXADECIMAL;
    }
    if (reader->at[1] == 'b') {
        reader->at += 2;
        return BINARY;
    }
    return DECIMAL;
}

// Digits, with single underscores between them.
static enum result read_digits(struct reader *reader, int base, int *value) {
    bool after_digit = false;
    *value = 0;
    if (*reader->at == '\0')
        return EMPTY;
    while (*reader->at) {
        if (take(reader, '_')) {
            if (!after_digit)
                return BAD_UNDERSCORE;
            after_digit = false;
            continue;
        }
        int digit = digit_value(*reader->at, base);
        if (digit < 0)
            return BAD_DIGIT;
        *value = *value * base + digit;
        if (*value > VALUE_MOST)
            return TOO_LARGE;
        after_digit = true;
        reader->at++;
    }
    return after_digit ? GOOD : BAD_UNDERSCORE;
}

int parse_number(const char *text) {
    if (text == NULL)
        return EMPTY;
    struct reader reader = {text};
    bool negative = take(&reader, '-');
    if (!negative)
        take(&reader, '+');
    int value;
    int base = read_base(&reader);
    enum result result = read_digits(&reader, base, &value);
    if (result == GOOD)
        number = negative ? -value : value;
    return result;
}
