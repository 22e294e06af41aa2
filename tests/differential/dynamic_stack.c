// Variable-length arrays and alloca: in loops, of two dimensions, as parameters, over recursion.
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static volatile int limit = 9;

static int sum(int n) {
    int a[n];
    for (int i = 0; i < n; i++) a[i] = i * i;
    int total = 0;
    for (int i = 0; i < n; i++) total += a[i];
    return total + (int)sizeof a;
}

static double matrix(int rows, int columns) {
    double m[rows][columns];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) m[i][j] = i * 10 + j / 2.0;
    double trace = 0;
    for (int i = 0; i < rows && i < columns; i++) trace += m[i][i];
    return trace + (double)(sizeof m / sizeof m[0]);
}

static int column(int n, int m[n][n], int which) {
    int total = 0;
    for (int i = 0; i < n; i++) total += m[i][which];
    return total;
}

static int in_a_loop(int n) {
    int total = 0;
    for (int i = 1; i <= n; i++) {
        char block[i * 3];
        memset(block, i, sizeof block);
        total += block[i * 3 - 1] + (int)sizeof block;
        if (i % 4 == 0) continue;
        short more[i];
        more[i - 1] = (short)i;
        total += more[i - 1];
    }
    return total;
}

static int recursive(int depth) {
    if (depth == 0) return 0;
    int local[depth];
    local[depth - 1] = depth;
    int below = recursive(depth - 1);
    return below + local[depth - 1];
}

struct link {
    struct link *next;
    int value;
};

static int with_alloca(int n) {
    struct link *head = NULL;
    for (int i = 0; i < n; i++) {
        struct link *l = alloca(sizeof *l);
        *l = (struct link){head, i};
        head = l;
    }
    int total = 0;
    for (struct link *l = head; l; l = l->next) total = total * 2 + l->value;
    return total;
}

int main(void) {
    int n = limit;
    for (int i = 1; i < n; i++) printf("%d %g %d %d %d\n", sum(i), matrix(i, n - i), in_a_loop(i), recursive(i), with_alloca(i));
    int square[n][n];
    for (int i = 0; i < n * n; i++) (&square[0][0])[i] = i;
    printf("%d %d\n", column(n, square, 0), column(n, square, n - 1));
    int(*rows)[n] = square;
    printf("%d %zu\n", rows[2][3], sizeof *rows);
    typedef int row[n];
    row r;
    n = 3;
    printf("%zu %d\n", sizeof r, (int)(sizeof(row) / sizeof(int)));
    return 0;
}
