// Parses dates such as 2024-02-29, version 1, and says which day of the year it is.
#include <klee/klee.h>
#include <stdbool.h>

static const short days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// Reads exactly `count` digits; -1 if there is anything else.
static int digits(const char *text, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

// The day of the year, from 1; 0 if the text is no date.
int day_of_year(const char *text) {
    int year = digits(text, 4);
    if (year < 0 || text[4] != '-')
        return 0;
    int month = digits(text + 5, 2);
    if (month < 1 || month > 12 || text[7] != '-')
        return 0;
    int day = digits(text + 8, 2);
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
