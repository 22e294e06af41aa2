/* Native replay, part 5: allocations, which may fail where the test says so (objects named `malloc fails#0`, …). The
 * program's calls are led here; everything else calls the C library. */

static int fails(void) {
  static const char who[] = "malloc fails";
  if (!test_path[0]) return 0;
  load_test();
  struct object *object = next_answer(who, sizeof who - 1);
  return object && object->size && object->bytes[0];
}

extern void *memalign(size_t alignment, size_t size);
extern void *valloc(size_t size);

void *__upshot_malloc(size_t size) { return fails() ? 0 : malloc(size); }
void *__upshot_calloc(size_t count, size_t size) { return fails() ? 0 : calloc(count, size); }
void *__upshot_realloc(void *old, size_t size) { return fails() ? 0 : realloc(old, size); }
void *__upshot_reallocarray(void *old, size_t count, size_t size) { return fails() ? 0 : reallocarray(old, count, size); }
void *__upshot_aligned_alloc(size_t alignment, size_t size) { return fails() ? 0 : aligned_alloc(alignment, size); }
void *__upshot_memalign(size_t alignment, size_t size) { return fails() ? 0 : memalign(alignment, size); }
void *__upshot_valloc(size_t size) { return fails() ? 0 : valloc(size); }
int __upshot_posix_memalign(void **result, size_t alignment, size_t size) {
  return fails() ? ENOMEM : posix_memalign(result, alignment, size);
}
