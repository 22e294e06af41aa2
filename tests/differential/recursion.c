// Recursion of many kinds: deep, double, mutual, through structures, with memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int scale = 1;

static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static unsigned long fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static long depth(int n) {
    volatile char pad[16];
    pad[0] = (char)n;
    return n == 0 ? 0 : depth(n - 1) + pad[0];
}

static int moves;
static void hanoi(int n, char from, char to, char via) {
    if (!n) return;
    hanoi(n - 1, from, via, to);
    moves = moves * 3 % 10007 + from * to;
    hanoi(n - 1, via, to, from);
}

static void permute(char *s, int n, unsigned *hash) {
    if (n == 1) {
        for (char *p = s; *p; p++) *hash = *hash * 33 + (unsigned char)*p;
        return;
    }
    for (int i = 0; i < n; i++) {
        permute(s, n - 1, hash);
        int j = n % 2 ? 0 : i;
        char t = s[j];
        s[j] = s[n - 1];
        s[n - 1] = t;
    }
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
    if (row == n) return 1;
    int count = 0;
    for (int c = 0; c < n; c++) {
        unsigned bit = 1u << c;
        if ((columns | left | right) & bit) continue;
        count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

struct tree {
    struct tree *left, *right;
    int key, height;
};
static int height(struct tree *t) { return t ? t->height : 0; }
static void update(struct tree *t) { t->height = 1 + (height(t->left) > height(t->right) ? height(t->left) : height(t->right)); }
static struct tree *rotate(struct tree *t, int to_left) {
    struct tree *up = to_left ? t->right : t->left;
    if (to_left) t->right = up->left, up->left = t;
    else t->left = up->right, up->right = t;
    update(t);
    update(up);
    return up;
}
static struct tree *insert(struct tree *t, int key) {
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
        t->height = 1;
        return t;
    }
    if (key < t->key) t->left = insert(t->left, key);
    else if (key > t->key) t->right = insert(t->right, key);
    update(t);
    int balance = height(t->left) - height(t->right);
    if (balance > 1) {
        if (height(t->left->left) < height(t->left->right)) t->left = rotate(t->left, 1);
        return rotate(t, 0);
    }
    if (balance < -1) {
        if (height(t->right->right) < height(t->right->left)) t->right = rotate(t->right, 0);
        return rotate(t, 1);
    }
    return t;
}
static void walk(struct tree *t, unsigned *hash) {
    if (!t) return;
    walk(t->left, hash);
    *hash = *hash * 31 + (unsigned)t->key;
    walk(t->right, hash);
    free(t);
}

static const char *cursor;
static long expression(void);
static long factor(void) {
    if (*cursor == '(') {
        cursor++;
        long v = expression();
        cursor++;
        return v;
    }
    if (*cursor == '-') return cursor++, -factor();
    return strtol(cursor, (char **)&cursor, 10);
}
static long term(void) {
    long v = factor();
    while (*cursor == '*' || *cursor == '/') {
        char op = *cursor++;
        long w = factor();
        v = op == '*' ? v * w : v / w;
    }
    return v;
}
static long expression(void) {
    long v = term();
    while (*cursor == '+' || *cursor == '-') v += *cursor++ == '+' ? term() : -term();
    return v;
}

static int flood(char grid[8][8], int x, int y) {
    if (x < 0 || y < 0 || x > 7 || y > 7 || grid[y][x] != '.') return 0;
    grid[y][x] = '#';
    return 1 + flood(grid, x + 1, y) + flood(grid, x - 1, y) + flood(grid, x, y + 1) + flood(grid, x, y - 1);
}

int main(void) {
    int one = scale;
    printf("%d %lu %d %d %ld\n", ackermann(2, 5 * one), fib(15 * (unsigned)one), is_even(200), is_odd(77), depth(1000 * one));
    hanoi(8, 'a', 'b', 'c');
    unsigned hash = 1;
    char letters[] = "abcdef";
    permute(letters, 6, &hash);
    printf("%d %u %d\n", moves, hash, queens(6, 0, 0, 0, 0));
    struct tree *t = NULL;
    for (int i = 0; i < 200; i++) t = insert(t, i * 7919 % 211);
    printf("%d\n", t->height);
    walk(t, &hash);
    printf("%u\n", hash);
    cursor = "2*(3+4)-10/(1+1)*-3+((7))";
    printf("%ld\n", expression());
    char grid[8][8];
    for (int i = 0; i < 64; i++) grid[i / 8][i % 8] = i % 5 == 0 || i % 7 == 3 ? 'x' : '.';
    printf("%d\n", flood(grid, 1, 1));
    return (int)(hash & 0x7f);
}
