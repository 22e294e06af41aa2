// Whether x or y is larger is of no interest to what the change touches, but it decides which combinations of the two later
// decisions are possible: with x > y not (x <= limit, y > limit), else not (x > limit, y <= limit).
int larger, first, second;

void compare(int x, int y) {
    int limit = 5;
    if (x > y)
        larger = 1;
    else
        larger = 2;
    if (x > limit)
        first = 1;
    else
        first = 2;
    if (y > limit)
        second = 1;
    else
        second = 2;
}
