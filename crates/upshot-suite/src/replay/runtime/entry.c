/* Native replay, part 4: `--entry f`. The test holds f's parameters, then the memory they point to, then globals; the
 * object `upshot.pointers` says which of their bytes are pointers to which object. Memory is allocated in pieces of
 * exactly the recorded sizes, so that AddressSanitizer sees an access past an end. */

/* Mirrored by start.rs. */
struct parameter {
  const char *name;
  uint64_t size;
};

struct global {
  const char *name;
  const char *source_name;
  void *address;
  uint64_t size;
};

#define POINTERS "upshot.pointers"
#define TO_FUNCTION 0xFFFFFFFFu

static char **addresses; /* of the test's objects; null where an object is none of these */
static uint64_t *parameter_objects; /* which object each parameter is */
static uint64_t parameter_count_of_entry;

/* --- Functions that are only known by what they return ----------------------------------------------------------- */

#define STUBS 64
#define STUB_SIZE 16

static struct {
  const char *name; /* of its results, up to the `#` */
  uint64_t length;
} stubs[STUBS];
static unsigned stub_count;

extern char __upshot_stubs[] __attribute__((visibility("hidden")));

/* One entry point per function; each knows its number. Results go to where either an integer or a float is expected. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl __upshot_stubs\n"
        ".hidden __upshot_stubs\n"
        "__upshot_stubs:\n"
        ".set number, 0\n"
        ".rept 64\n"
        "  pushq $number\n"
        "  jmp 1f\n"
        "  .p2align 4\n"
        "  .set number, number + 1\n"
        ".endr\n"
        "1:\n"
        "  popq %rdi\n"
        "  subq $24, %rsp\n"
        "  movq %rsp, %rsi\n"
        "  call __upshot_stub_result\n"
        "  movq (%rsp), %rax\n"
        "  movq 8(%rsp), %rdx\n"
        "  movq (%rsp), %xmm0\n"
        "  movq 8(%rsp), %xmm1\n"
        "  addq $24, %rsp\n"
        "  ret\n");

/* A result of several parts is several objects of the same name. */
__attribute__((used, visibility("hidden"))) void __upshot_stub_result(uint64_t stub, char result[16]) {
  memset(result, 0, 16);
  if (!stubs[stub].name) return;
  struct object *first = next_answer(stubs[stub].name, stubs[stub].length);
  if (!first) return;
  copy_object(result, first->size > 8 ? 16 : 8, first);
  struct object *second = first + 1;
  if (first->size > 8 || second == objects + object_count || second->taken) return;
  if (second->name_length != first->name_length || memcmp(second->name, first->name, first->name_length) != 0) return;
  second->taken = 1;
  copy_object(result + 8, 8, second);
}

/* `first` is the number of the object with the function's first result, plus one; 0 where it was never called. */
static char *make_stub(uint32_t first) {
  if (stub_count == STUBS) bad_test("the test has too many function pointers", "");
  if (first > object_count) bad_test("a function pointer's result is no object of the test", "");
  if (first) {
    const struct object *object = &objects[first - 1];
    if (!is_any_answer(object)) bad_test("a function pointer's result is not named so", "");
    uint64_t length = object->name_length;
    while (object->name[length - 1] != '#') length--;
    stubs[stub_count].name = object->name;
    stubs[stub_count].length = length - 1;
  }
  return __upshot_stubs + STUB_SIZE * stub_count++;
}

/* A function that is declared but defined nowhere: returns what the test says, if it says anything. */
void __upshot_undefined(const char *name, void *result, uint64_t size) {
  char who[256];
  load_test();
  int length = snprintf(who, sizeof who, "%s()", name);
  struct object *object = length < (int)sizeof who ? next_answer(who, (uint64_t)length) : 0;
  if (!object) finish(END_UNDEFINED, name, "");
  copy_object(result, size, object);
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static uint32_t word(const unsigned char *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static struct object *find_pointers(void) {
  for (uint64_t i = object_count; i > 0; i--)
    if (is_named(&objects[i - 1], POINTERS)) return &objects[i - 1];
  return 0;
}

/* The object of a parameter: mostly that of the same number, else the first of its name, or the second where a global
 * has that name too, since globals may come first. */
static uint64_t find_parameter(uint64_t number, const char *name, const struct global *globals, uint64_t global_count) {
  if (number < object_count && !objects[number].taken && is_named(&objects[number], name)) return number;
  uint64_t found = object_count, skip = 0;
  for (uint64_t g = 0; g < global_count; g++) skip |= strcmp(globals[g].source_name, name) == 0;
  for (uint64_t i = 0; i < object_count; i++) {
    if (objects[i].taken || !is_named(&objects[i], name)) continue;
    found = i;
    if (!skip--) break;
  }
  return found;
}

static void place_parameters(const struct parameter *parameters, uint64_t count, const struct global *globals,
                             uint64_t global_count) {
  parameter_objects = map_memory(count * sizeof *parameter_objects);
  parameter_count_of_entry = count;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t at = find_parameter(i, parameters[i].name, globals, global_count);
    if (at == object_count) bad_test("the test has no object for parameter ", parameters[i].name);
    uint64_t size = parameters[i].size > objects[at].size ? parameters[i].size : objects[at].size;
    /* Room behind it, since a register may take more bytes than the object has. */
    addresses[at] = map_memory(size + 64);
    if (!addresses[at] || !parameter_objects) bad_test("no memory for parameter ", parameters[i].name);
    memcpy(addresses[at], objects[at].bytes, objects[at].size);
    objects[at].taken = 1;
    parameter_objects[i] = at;
  }
}

static void place_global(uint64_t i, const struct global *globals, uint64_t count) {
  const struct global *found = 0;
  for (uint64_t g = 0; g < count; g++) {
    if (is_named(&objects[i], globals[g].name)) {
      found = &globals[g];
      break;
    }
    if (!found && is_named(&objects[i], globals[g].source_name)) found = &globals[g];
  }
  if (!found) return;
  uint64_t size = found->size < objects[i].size ? found->size : objects[i].size;
  memcpy(found->address, objects[i].bytes, size);
  addresses[i] = found->address;
  objects[i].taken = 1;
}

static void place_memory(uint64_t i) {
  if (addresses[i]) return;
  addresses[i] = malloc(objects[i].size);
  if (!addresses[i]) bad_test("no memory for an object of the test", "");
  memcpy(addresses[i], objects[i].bytes, objects[i].size);
  objects[i].taken = 1;
}

static void link_pointers(const struct object *pointers) {
  for (uint64_t at = 0; at + 16 <= pointers->size; at += 16) {
    const unsigned char *entry = pointers->bytes + at;
    uint32_t holder = word(entry), offset = word(entry + 4), target = word(entry + 8), inside = word(entry + 12);
    if (holder >= object_count || !addresses[holder] || (uint64_t)offset + 8 > objects[holder].size)
      bad_test("a pointer of the test lies in no object", "");
    char *address = 0;
    if (target == TO_FUNCTION)
      address = make_stub(inside);
    else if (target > object_count)
      bad_test("a pointer of the test leads to no object", "");
    else if (target)
      address = addresses[target - 1] + inside;
    memcpy(addresses[holder] + offset, &address, 8);
  }
}

void __upshot_prepare(const struct parameter *parameters, uint64_t parameter_count, const struct global *globals,
                      uint64_t global_count) {
  entry_mode = 1;
  load_test();
  addresses = map_memory(object_count * sizeof *addresses);
  if (!addresses) bad_test("no memory for the test's objects", "");
  place_parameters(parameters, parameter_count, globals, global_count);
  for (uint64_t i = 0; i < object_count; i++) {
    if (objects[i].taken) continue;
    if (objects[i].name_length > 0 && objects[i].name[0] == '*')
      place_memory(i);
    else
      place_global(i, globals, global_count);
  }
  struct object *pointers = find_pointers();
  if (!pointers) return;
  pointers->taken = 1;
  for (uint64_t at = 0; at + 16 <= pointers->size; at += 16) {
    uint32_t target = word(pointers->bytes + at + 8);
    if (target && target <= object_count) place_memory(target - 1);
  }
  link_pointers(pointers);
}

/* Where in memory byte `offset` of a parameter is. */
void *__upshot_parameter(uint64_t index, uint64_t offset) { return addresses[parameter_objects[index]] + offset; }

/* Where byte `offset` of the result goes. */
void *__upshot_result(uint64_t offset) {
  static char unseen[4096];
  if (control == &unshared.control || offset + 16 > control->return_capacity) return unseen;
  return (char *)control + CONTROL_HEADER + offset;
}

/* What a word of memory is, wherever things lie: a pointer into an object of the test is its number and the offset, one to
 * elsewhere is nothing but that; other numbers are themselves. */
static uint64_t placeless(uint64_t value) {
  for (uint64_t i = 0; i < object_count; i++)
    if (addresses[i] && value >= (uint64_t)addresses[i] && value < (uint64_t)addresses[i] + objects[i].size)
      return 0x7e57000000000000u | i << 32 | (value - (uint64_t)addresses[i]);
  int here;
  uint64_t near = (uint64_t)&here > value ? (uint64_t)&here - value : value - (uint64_t)&here;
  return near < 1u << 24 || (value >> 40 >= 0x55 && value >> 40 <= 0x7f) ? 0x7e57ffff00000000u : value;
}

static void write_words(FILE *file, const char *bytes, uint64_t size) {
  uint64_t at = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t value;
    memcpy(&value, bytes + at, 8);
    value = placeless(value);
    fwrite(&value, 1, 8, file);
  }
  fwrite(bytes + at, 1, size - at, file);
}

/* Writes what the memory and globals of the test hold now, if somebody wants to know. */
static void write_memory(uint64_t result_size) {
  const char *path = getenv("UPSHOT_REPLAY_MEMORY");
  FILE *file = path && addresses ? fopen(path, "wb") : 0;
  if (!file) return;
  /* The result too: where it points to is no part of its bytes. */
  write_words(file, __upshot_result(0), result_size < 4096 ? result_size : 4096);
  for (uint64_t i = 0; i < object_count; i++) {
    if (!addresses[i]) continue;
    int is_parameter = 0;
    for (uint64_t p = 0; p < parameter_count_of_entry; p++) is_parameter |= parameter_objects[p] == i;
    if (is_parameter) continue;
    fprintf(file, "%.*s\n%llu\n", (int)objects[i].name_length, objects[i].name, (unsigned long long)objects[i].size);
    write_words(file, addresses[i], objects[i].size);
  }
  fclose(file);
}

/* The entry function came back, with so many bytes of result. */
void __upshot_returned(uint64_t size) {
  control->return_size = size;
  write_memory(size);
}
