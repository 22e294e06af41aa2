// A tokenizer for expressions, version 5: tabs are space.
#include <stdbool.h>
#include <stddef.h>

enum kind { END, NAME, NUMBER, STRING, OTHER, BAD };

struct token {
    enum kind kind;
    const char *start;
    int length;
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// A string ends at the next quote. One that is not closed is bad.
static const char *string_end(const char *at) {
    while (*at && *at != '"')
        at++;
    return *at ? at + 1 : NULL;
}

// The token at the start of the text.
static struct token next(const char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    struct token token = {END, text, 0};
    const char *at = text;
    if (!*at)
        return token;
    if (is_letter(*at)) {
        token.kind = NAME;
        while (is_letter(*at) || is_digit(*at))
            at++;
    } else if (is_digit(*at)) {
        token.kind = NUMBER;
        while (is_digit(*at))
            at++;
    } else if (*at == '"') {
        at = string_end(at + 1);
        token.kind = at ? STRING : BAD;
    } else {
        token.kind = OTHER;
        at++;
    }
    token.length = at ? (int)(at - text) : 0;
    return token;
}

// How many tokens there are, or -1 if one of them is bad.
int count_tokens(const char *text) {
    int count = 0;
    for (;;) {
        struct token token = next(text);
        if (token.kind == END)
            return count;
        if (token.kind == BAD)
            return -1;
        count++;
        text = token.start + token.length;
    }
}
