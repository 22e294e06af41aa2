// while, do, for, break and continue on symbolic conditions.
// run: --entry count --assume 'n >= 0 && n < 4'
// paths: finished=4
// exit: 0
// complete: true
int count(int n) {
    int sum = 0, i = 0;
    while (i < n)
        sum += i++;
    do {
        if (i == 2)
            continue;
        sum += 10;
    } while (--i > 0);
    for (;;) {
        if (sum > 20)
            break;
        sum += 7;
    }
    return sum;
}
