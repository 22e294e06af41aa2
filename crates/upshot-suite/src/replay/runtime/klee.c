/* Native replay, part 3: the klee_* calls. Inputs come from the test in the order in which the program asks for them;
 * what only steers the executor does nothing here. */

static int entry_mode;
static uint64_t next_object;

/* Names may carry the number that makes them unique: `x`, `x_1`. */
static int answers_to(const struct object *object, const char *name) {
  uint64_t length = strlen(name);
  if (is_named(object, name)) return 1;
  if (object->name_length < length + 2 || memcmp(object->name, name, length) != 0 || object->name[length] != '_') return 0;
  for (uint64_t i = length + 1; i < object->name_length; i++)
    if (object->name[i] < '0' || object->name[i] > '9') return 0;
  return 1;
}

/* The object that the next request gets. Started from `main` it is the next one, whatever its name; behind an entry
 * function, whose own inputs are in the test too, the next of that name. */
static struct object *candidate(const char *name) {
  load_test();
  while (next_object < object_count && objects[next_object].taken) next_object++;
  for (uint64_t i = next_object; i < object_count; i++) {
    if (objects[i].taken) continue;
    if (answers_to(&objects[i], name) || (!entry_mode && !is_any_answer(&objects[i]))) return &objects[i];
  }
  return 0;
}

static const char *name_or_default(const char *name) { return name && *name ? name : "unnamed"; }

void klee_make_symbolic(void *address, size_t size, const char *name) {
  if (!size) return; /* no input either */
  if (__asan_region_is_poisoned && __asan_region_is_poisoned(address, size)) finish(END_CHECK, "pointer", "");
  name = name_or_default(name);
  struct object *object = candidate(name);
  if (!object) bad_test("the test has no more objects, but the program asks for ", name);
  if (!answers_to(object, name)) {
    char other[256];
    snprintf(other, sizeof other, "%s; the next object of the test is %.*s", name, (int)object->name_length, object->name);
    bad_test("the program asks for ", other);
  }
  object->taken = 1;
  copy_object(address, size, object);
}

int klee_int(const char *name) {
  int value;
  klee_make_symbolic(&value, sizeof value, name);
  return value;
}

void klee_assume(uintptr_t condition) {
  if (!condition) finish(END_ASSUME, "", "");
}

int klee_range(int begin, int end, const char *name) {
  if (begin >= end) finish(END_REPORT, "invalid range", "");
  /* A range of one value needs no input, but may have one. */
  if ((int64_t)begin + 1 == end) {
    struct object *object = candidate(name_or_default(name));
    if (!object || !answers_to(object, name_or_default(name))) return begin;
  }
  int value = klee_int(name);
  klee_assume(begin <= value && value < end);
  return value;
}

uintptr_t klee_choose(uintptr_t count) {
  uintptr_t value;
  if (!count) finish(END_REPORT, "a choice among nothing", "");
  klee_make_symbolic(&value, sizeof value, "klee_choose");
  if (value >= count) finish(END_SILENT, "", "");
  return value;
}

void klee_silent_exit(int status) {
  (void)status;
  finish(END_SILENT, "", "");
}

void klee_report_error(const char *file, int line, const char *message, const char *suffix) {
  (void)file, (void)line, (void)suffix;
  finish(END_REPORT, message ? message : "", "");
}

void klee_abort(void) { abort(); }

float klee_get_valuef(float value) { return value; }
double klee_get_valued(double value) { return value; }
long klee_get_valuel(long value) { return value; }
long long klee_get_valuell(long long value) { return value; }
int32_t klee_get_value_i32(int32_t value) { return value; }
int64_t klee_get_value_i64(int64_t value) { return value; }

unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
unsigned klee_is_replay(void) { return 1; }
int klee_get_errno(void) { return errno; }

/* Natively, nothing knows the size of an object. */
size_t klee_get_obj_size(void *object) {
  (void)object;
  finish(END_UNDEFINED, "klee_get_obj_size", "");
}

void klee_check_memory_access(const void *address, size_t size) {
  if (__asan_region_is_poisoned && size && __asan_region_is_poisoned((void *)address, size)) finish(END_CHECK, "pointer", "");
  for (size_t i = 0; i < size; i += i + 1 < size && size - i > 4096 ? 4096 : 1) (void)((const volatile char *)address)[i];
}

void klee_define_fixed_object(void *address, size_t size) {
  uintptr_t page = (uintptr_t)address & ~(uintptr_t)4095;
  mmap((void *)page, (uintptr_t)address + size - page, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_print_expr(const char *message, ...) { (void)message; }
void klee_print_range(const char *name, int value) { (void)name, (void)value; }
void klee_warning(const char *message) { (void)message; }
void klee_warning_once(const char *message) { (void)message; }
void klee_stack_trace(void) {}
void klee_mark_global(void *object) { (void)object; }
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}
void klee_merge(void) {}
void klee_alias_function(const char *from, const char *to) { (void)from, (void)to; }
