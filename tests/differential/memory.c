// memcpy, memmove, memset and their like: sizes known and not, overlap, alignment, through every kind of pointer.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100};

static uint32_t hash(const void *memory, size_t n) {
    const unsigned char *p = memory;
    uint32_t h = 1;
    while (n--) h = h * 31 + *p++;
    return h;
}

static void fill(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = (unsigned char)(i * 7 + 3);
}

struct node {
    struct node *next;
    char name[12];
    double weight;
    void (*hook)(int);
};

static int hooked;
static void hook(int n) { hooked += n; }

int main(void) {
    unsigned char a[256], b[256];
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int n = sizes[i];
        fill(a, 256);
        memset(b, 0xcc, 256);
        memcpy(b + 3, a + 5, (size_t)n);
        printf("%08x", hash(b, 256));
        memmove(a + 4, a, (size_t)n);
        printf(" %08x", hash(a, 256));
        memmove(a, a + 7, (size_t)n);
        printf(" %08x", hash(a, 256));
        memset(a + 1, n, (size_t)n);
        printf(" %08x", hash(a, 256));
        printf(" %d %d", memcmp(a, b, (size_t)n) > 0, memcmp(a + 1, a + 1, (size_t)n));
        unsigned char *found = memchr(b, a[9], 100);
        printf(" %td", found ? found - b : -1);
        memcpy(a, a, 0);
        printf(" %08x\n", hash(memset(a, 0, 256), 256));
    }
    // Known sizes become plain loads and stores.
    uint64_t u = 0x0123456789abcdef;
    uint32_t halves[2];
    memcpy(halves, &u, 8);
    float f;
    memcpy(&f, &halves[1], 4);
    uint16_t odd;
    memcpy(&odd, (char *)&u + 3, 2);
    printf("%x %x %a %x\n", halves[0], halves[1], f, odd);
    memset(&u, 0x5a, 5);
    printf("%llx\n", (unsigned long long)u);

    // Pointers survive being copied as bytes, and one byte at a time.
    struct node first = {NULL, "first", 1.5, hook}, second = {&first, "second", 2.5, hook}, third;
    memcpy(&third, &second, sizeof third);
    third.next->hook(3);
    printf("%s %s %g %d\n", third.name, third.next->name, third.next->weight, hooked);
    unsigned char raw[sizeof(struct node)];
    for (unsigned i = 0; i < sizeof raw; i++) raw[i] = ((unsigned char *)&second)[i];
    struct node fourth;
    for (unsigned i = sizeof raw; i-- > 0;) ((unsigned char *)&fourth)[i] = raw[i];
    fourth.next->hook(4);
    printf("%s %d\n", fourth.next->name, hooked);
    uintptr_t low = (uintptr_t)&first & 0xffffffff, high = (uintptr_t)&first >> 32;
    struct node *joined = (struct node *)(high << 32 | low);
    printf("%s\n", joined->name);

    // The heap.
    int *heap = malloc(10 * sizeof *heap);
    for (int i = 0; i < 10; i++) heap[i] = i * i;
    heap = realloc(heap, 100 * sizeof *heap);
    for (int i = 10; i < 100; i++) heap[i] = heap[i - 10] + 1;
    printf("%d %08x\n", heap[99], hash(heap, 400));
    heap = realloc(heap, 5 * sizeof *heap);
    printf("%d\n", heap[4]);
    free(heap);
    free(NULL);
    char *zeroed = calloc(7, 13);
    printf("%08x\n", hash(zeroed, 91));
    free(zeroed);
    void *aligned = aligned_alloc(64, 128);
    printf("%d\n", (int)((uintptr_t)aligned % 64));
    free(aligned);
    char *copy = strdup("duplicate"), *part = strndup("duplicate", 3);
    printf("%s %s\n", copy, part);
    free(copy);
    free(part);
    struct node *list = NULL;
    for (int i = 0; i < 20; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->weight = i;
        list = n;
    }
    double total = 0;
    while (list) {
        struct node *next = list->next;
        total = total * 0.5 + list->weight;
        free(list);
        list = next;
    }
    printf("%a\n", total);
    int grid[3][4][5];
    for (int i = 0; i < 60; i++) (&grid[0][0][0])[i] = i;
    int(*plane)[5] = grid[1];
    printf("%d %d %zu %td\n", plane[2][3], *(*(*(grid + 2) + 1) + 4), sizeof grid[0], &grid[2][3][4] - &grid[0][0][0]);
    return hooked;
}
