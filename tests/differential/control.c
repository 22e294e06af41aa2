// Loops of all kinds, nested, with break, continue and goto; conditional expressions; values that meet in phis.
#include <stdio.h>

static volatile int limit = 12;

static int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static int swap_loop(int n) {
    // Three values that rotate: the phi moves must happen at once.
    int a = 1, b = 2, c = 3;
    for (int i = 0; i < n; i++) {
        int t = a;
        a = b;
        b = c;
        c = t;
    }
    return a * 100 + b * 10 + c;
}

static int spaghetti(int n) {
    int i = 0, sum = 0;
again:
    if (i >= n) goto done;
    if (i % 3 == 0) goto skip;
    sum += i;
skip:
    i++;
    if (i % 7 == 6) goto add;
    goto again;
add:
    sum += 1000;
    goto again;
done:
    return sum;
}

static int into_the_middle(int n) {
    int count = 0, i = 2;
    if (n & 1) goto inside;
    for (i = 0; i < n; i++) {
        count += 2;
    inside:
        count++;
        if (count > 40) break;
    }
    return count;
}

static unsigned long long fibonacci(int n) {
    unsigned long long a = 0, b = 1;
    do {
        unsigned long long next = a + b;
        a = b;
        b = next;
    } while (--n > 0);
    return a;
}

static int logic(int a, int b, int c) {
    int r = 0;
    if (a && (b || c)) r |= 1;
    if (!(a || b) && c) r |= 2;
    if ((a > b) == (b > c)) r |= 4;
    r |= (a ? b ? 8 : 16 : c ? 32 : 64);
    r += a < b ? a : b;
    r += a > c ? a : c;
    r = (a, b, c) ? r : -r;
    return r;
}

static int triangle(int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0;; j++) {
            if (j > i) break;
            if ((i + j) % 5 == 3) continue;
            for (int k = j; k-- > 0;) {
                if (k == 4) goto next;
                total += k ^ j;
            }
        next:;
        }
    }
    return total;
}

static int early(const int *a, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (a[i] == wanted) return i;
    return -1;
}

int main(void) {
    for (int i = 1; i < limit; i++) {
        printf("%d: %d %d %d %d %llu %d\n", i, collatz((unsigned)i), swap_loop(i), spaghetti(i * 3), into_the_middle(i),
               fibonacci(i * 5), triangle(i));
        for (int j = -1; j < 3; j++) printf(" %d", logic(i % 3, j, i / 3));
        printf("\n");
    }
    int a[] = {5, 3, 9, limit, 1};
    printf("%d %d %d\n", early(a, 5, 9), early(a, 5, 12), early(a, 5, 100));
    int x = limit, y = (x++, x += 2, x * 2);
    printf("%d %d\n", x, y);
    unsigned char wraps = 250;
    int turns = 0;
    while (wraps++ != 5) turns++;
    printf("%d %d\n", wraps, turns);
    return logic(1, 2, 3) & 0x7f;
}
