// Parses dates such as 2024-02-29 or 2024-2-29, version 2, and says which day of the year it is.
#include <klee/klee.h>
#include <stdbool.h>

static const short days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// Reads up to `count` digits and moves on behind them; -1 if there is none.
static int digits(const char **text, int count) {
    int value = 0, i = 0;
    for (; i < count && (*text)[i] >= '0' && (*text)[i] <= '9'; i++)
        value = value * 10 + ((*text)[i] - '0');
    *text += i;
    return i > 0 ? value : -1;
}

// The day of the year, from 1; 0 if the text is no date.
int day_of_year(const char *text) {
    int year = digits(&text, 4);
    if (year < 0 || *text++ != '-')
        return 0;
    int month = digits(&text, 2);
    if (month < 0 || month > 12 || *text++ != '-')
        return 0;
    int day = digits(&text, 2);
    if (day < 1 || day > 31)
        return 0;
    return days_before[month - 1] + day + (month > 2 && is_leap(year));
}

int main(void) {
    char text[11] = "2024-00-00";
    klee_make_symbolic(text + 5, 2, "month");
    klee_make_symbolic(text + 8, 2, "day");
    int day = day_of_year(text);
    klee_assert(day >= 0 && day <= 366);
    return day;
}
