/* <stdlib.h>: arithmetic, sorting, searching, the environment. */

/* Intrinsics, which need no branch. */
int abs(int value) { return __builtin_abs(value); }
long labs(long value) { return __builtin_labs(value); }
long long llabs(long long value) { return __builtin_llabs(value); }
intmax_t imaxabs(intmax_t value) { return __builtin_labs(value); }

struct int_division {
  int quotient, remainder;
};
struct long_division {
  long quotient, remainder;
};
struct long_long_division {
  long long quotient, remainder;
};

struct int_division div(int left, int right) { return (struct int_division){left / right, left % right}; }
struct long_division ldiv(long left, long right) { return (struct long_division){left / right, left % right}; }

struct long_long_division lldiv(long long left, long long right) {
  return (struct long_long_division){left / right, left % right};
}

struct long_division imaxdiv(intmax_t left, intmax_t right) {
  return (struct long_division){left / right, left % right};
}

/* Programs run without an environment, so that results do not depend on who runs them. */
char *getenv(const char *name) {
  (void)name;
  return NULL;
}

char *secure_getenv(const char *name) {
  (void)name;
  return NULL;
}

typedef int sort_order(const void *, const void *, void *);

/* Sorts `count` elements by merging halves, each sorted the same way. It is stable, and asks for the same comparisons
 * in the same order as glibc does, so that comparison functions with effects behave alike. */
static void sort_merge(char *base, size_t count, size_t size, sort_order *order, void *context, char *spare) {
  if (count <= 1) return;
  size_t left_count = count / 2, right_count = count - left_count;
  char *left = base, *right = base + left_count * size, *out = spare;
  sort_merge(left, left_count, size, order, context, spare);
  sort_merge(right, right_count, size, order, context, spare);
  while (left_count > 0 && right_count > 0) {
    if (order(left, right, context) <= 0) {
      __builtin_memcpy(out, left, size);
      left += size;
      left_count--;
    } else {
      __builtin_memcpy(out, right, size);
      right += size;
      right_count--;
    }
    out += size;
  }
  if (left_count > 0) __builtin_memcpy(out, left, left_count * size);
  __builtin_memcpy(base, spare, (count - right_count) * size);
}

/* What to do without memory for merging: moves each element down to its place. As stable, only slower. */
static void sort_insert(char *base, size_t count, size_t size, sort_order *order, void *context) {
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0; j--) {
      char *upper = base + j * size, *lower = upper - size;
      if (order(lower, upper, context) <= 0) break;
      for (size_t k = 0; k < size; k++) {
        char kept = upper[k];
        upper[k] = lower[k];
        lower[k] = kept;
      }
    }
}

enum { SORT_LOCAL_BYTES = 1024 };

static void sort_any(void *base, size_t count, size_t size, sort_order *order, void *context) {
  if (count * size < SORT_LOCAL_BYTES) {
    /* The largest alignment there is: comparison functions are handed elements in here too. */
    _Alignas(16) char spare[SORT_LOCAL_BYTES];
    sort_merge(base, count, size, order, context, spare);
    return;
  }
  char *spare = malloc(count * size);
  if (!spare) {
    sort_insert(base, count, size, order, context);
    return;
  }
  sort_merge(base, count, size, order, context, spare);
  free(spare);
}

void qsort_r(void *base, size_t count, size_t size, sort_order *order, void *context) {
  sort_any(base, count, size, order, context);
}

/* Passes a comparison of two arguments where one of three is wanted. */
static int sort_plain_order(const void *left, const void *right, void *context) {
  int (*const *order)(const void *, const void *) = context;
  return (*order)(left, right);
}

void qsort(void *base, size_t count, size_t size, int (*order)(const void *, const void *)) {
  sort_any(base, count, size, sort_plain_order, &order);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*order)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *element = (const char *)base + middle * size;
    int comparison = order(key, element);
    if (comparison == 0) return (void *)element;
    if (comparison < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}

/* <search.h>: linear search. */
void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*order)(const void *, const void *)) {
  const char *element = base;
  for (size_t i = 0; i < *count; i++, element += size)
    if (order(key, element) == 0) return (void *)element;
  return NULL;
}
