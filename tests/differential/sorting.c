// qsort, bsearch and home-made sorts over several types, and rand.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    int key;
    char name[8];
    double weight;
};

static int calls;
static int by_int(const void *a, const void *b) {
    calls++;
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int by_name(const void *a, const void *b) { return strcmp(((const struct record *)a)->name, ((const struct record *)b)->name); }
static int by_weight(const void *a, const void *b) {
    double x = ((const struct record *)a)->weight, y = ((const struct record *)b)->weight;
    return x < y ? -1 : x > y;
}
static int by_char(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

static void quick(int *a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quick(a, low, j);
    quick(a, i, high);
}

static void merge_sort(long *a, long *scratch, int n) {
    if (n < 2) return;
    int half = n / 2;
    merge_sort(a, scratch, half);
    merge_sort(a + half, scratch, n - half);
    for (int i = 0, j = half, k = 0; k < n; k++) scratch[k] = j >= n || (i < half && a[i] <= a[j]) ? a[i++] : a[j++];
    memcpy(a, scratch, (size_t)n * sizeof *a);
}

static void heap_sort(unsigned short *a, int n) {
    for (int start = n / 2 - 1, end = n; end > 1;) {
        int root;
        if (start >= 0) root = start--;
        else {
            end--;
            unsigned short t = a[0];
            a[0] = a[end];
            a[end] = t;
            root = 0;
        }
        for (int child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) break;
            unsigned short t = a[root];
            a[root] = a[child];
            a[child] = t;
        }
    }
}

static unsigned state = 1;
static unsigned next(void) { return state = state * 1103515245 + 12345, state >> 8; }

int main(void) {
    int numbers[100], copy[100];
    long longs[64], scratch[64];
    unsigned short shorts[50];
    for (int i = 0; i < 100; i++) copy[i] = numbers[i] = (int)(next() % 1000) - 500;
    for (int i = 0; i < 64; i++) longs[i] = (long)next() * (long)next() - 100000;
    for (int i = 0; i < 50; i++) shorts[i] = (unsigned short)next();
    qsort(numbers, 100, sizeof *numbers, by_int);
    quick(copy, 0, 99);
    merge_sort(longs, scratch, 64);
    heap_sort(shorts, 50);
    for (int i = 0; i < 100; i++) printf("%d%c", numbers[i], i % 10 == 9 ? '\n' : ' ');
    printf("%d %d\n", memcmp(numbers, copy, sizeof copy), calls > 100);
    for (int i = 0; i < 64; i += 7) printf("%ld ", longs[i]);
    for (int i = 0; i < 50; i += 7) printf("%d ", shorts[i]);
    printf("\n");
    for (int i = -500; i < 500; i += 83) {
        int *found = bsearch(&i, numbers, 100, sizeof *numbers, by_int);
        printf("%d ", found ? *found == i : -1);
    }
    struct record records[] = {{3, "carol", 2.5}, {1, "alice", 9.25}, {2, "bob", -1}, {5, "erin", 0.125}, {4, "dave", 7}};
    qsort(records, 5, sizeof *records, by_name);
    for (int i = 0; i < 5; i++) printf("%d%s ", records[i].key, records[i].name);
    qsort(records, 5, sizeof *records, by_weight);
    for (int i = 0; i < 5; i++) printf("%d%g ", records[i].key, records[i].weight);
    char text[] = "the quick brown fox jumps over the lazy dog";
    qsort(text, strlen(text), 1, by_char);
    printf("\n[%s]\n", text);
    qsort(numbers, 0, sizeof *numbers, by_int);
    qsort(numbers, 1, sizeof *numbers, by_int);
    srand(42);
    int in_range = 1;
    for (int i = 0; i < 20; i++) {
        int r = rand();
        in_range &= r >= 0 && r <= RAND_MAX;
    }
    printf("%d\n", in_range);
    return numbers[50] & 0x7f;
}
