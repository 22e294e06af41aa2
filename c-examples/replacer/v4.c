// Replaces each match of a pattern in a text by a character.
#include <stdbool.h>
#include <stddef.h>

enum { RESULT_SIZE = 16 };

enum { BAD_PATTERN = -1, TOO_LONG = -2, NO_INPUT = -3 };

// The text with the matches replaced.
char result[RESULT_SIZE];

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Whether the pattern can be used: not empty, and no backslash at its end.
static bool well_formed(const char *pattern) {
    if (*pattern == '\0' || *pattern == '$')
        return false;
    while (*pattern) {
        if (*pattern == '\\') {
            pattern++;
            if (*pattern == '\0')
                return false;
        }
        pattern++;
    }
    return true;
}

// Whether a character fits the element that the pattern begins with.
static bool fits(const char *pattern, char c) {
    switch (*pattern) {
    case '?':
        return true;
    case '#':
        return is_digit(c);
    case '\\':
        return pattern[1] == c;
    default:
        return *pattern == c;
    }
}

static bool at_end_anchor(const char *pattern) {
    return pattern[0] == '$' && pattern[1] == '\0';
}

// How many characters at the start of the text match, or -1.
static int match(const char *text, const char *pattern) {
    int length = 0;
    while (*pattern) {
        if (at_end_anchor(pattern))
            return text[length] == '\0' ? length : -1;
        if (text[length] == '\0' || !fits(pattern, text[length]))
            return -1;
        pattern += *pattern == '\\' ? 2 : 1;
        length++;
    }
    return length;
}

// Returns the number of replacements, or what is wrong with the input.
int replace(const char *text, const char *pattern, char by) {
    int count = 0;
    int size = 0;
    result[0] = '\0';
    if (text == NULL || pattern == NULL)
        return NO_INPUT;
    if (!well_formed(pattern))
        return BAD_PATTERN;
    while (*text) {
        if (size == RESULT_SIZE - 1)
            return TOO_LONG;
        int length = match(text, pattern);
        if (length > 0) {
            result[size] = by;
            text++;
            count++;
        } else {
            result[size] = *text;
            text++;
        }
        size++;
    }
    result[size] = '\0';
    return count;
}
