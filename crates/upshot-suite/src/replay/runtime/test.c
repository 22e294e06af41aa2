/* Native replay, part 2: the test. A `.ktest` file, mapped and cut into its objects. */

struct object {
  const char *name;
  uint64_t name_length;
  const unsigned char *bytes;
  uint64_t size;
  int taken;
};

static struct object *objects;
static uint64_t object_count;

struct reader {
  const unsigned char *next;
  uint64_t left;
};

static void __attribute__((noreturn)) bad_test(const char *text, const char *more) { finish(END_BAD_TEST, text, more); }

static const unsigned char *take(struct reader *reader, uint64_t count) {
  if (count > reader->left) bad_test("the test file is cut off", "");
  const unsigned char *taken = reader->next;
  reader->next += count;
  reader->left -= count;
  return taken;
}

static uint64_t take_number(struct reader *reader) {
  const unsigned char *bytes = take(reader, 4);
  return (uint64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static void load_test(void) {
  static int loaded;
  if (loaded) return;
  loaded = 1;
  struct reader reader = {0, 0};
  reader.next = map_file(test_path, 0, &reader.left);
  if (!reader.next) bad_test("there is no test file ", test_path);
  if (memcmp(take(&reader, 5), "KTEST", 5) != 0) bad_test("not a test file: ", test_path);
  uint64_t version = take_number(&reader);
  for (uint64_t arguments = take_number(&reader); arguments; arguments--) take(&reader, take_number(&reader));
  if (version >= 2) take(&reader, 8);
  uint64_t count = take_number(&reader);
  if (count > reader.left / 8) bad_test("the test file is cut off", "");
  objects = map_memory(count * sizeof *objects);
  if (!objects) bad_test("no memory for the test's objects", "");
  for (uint64_t i = 0; i < count; i++) {
    objects[i].name_length = take_number(&reader);
    objects[i].name = (const char *)take(&reader, objects[i].name_length);
    objects[i].size = take_number(&reader);
    objects[i].bytes = take(&reader, objects[i].size);
  }
  object_count = count;
}

static int is_named(const struct object *object, const char *name) {
  uint64_t length = strlen(name);
  return object->name_length == length && memcmp(object->name, name, length) == 0;
}

/* The bytes of an object, zeros after its end. */
static void copy_object(void *to, uint64_t size, const struct object *object) {
  uint64_t copied = size < object->size ? size : object->size;
  memcpy(to, object->bytes, copied);
  memset((char *)to + copied, 0, size - copied);
}

/* --- What the test says about the world outside: objects named `WHO#NUMBER`, used in the order they are in ------------ */

/* Whether the object's name is `who`, a `#` and a number. */
static int is_answer(const struct object *object, const char *who, uint64_t length) {
  if (object->name_length < length + 2 || memcmp(object->name, who, length) != 0 || object->name[length] != '#') return 0;
  for (uint64_t i = length + 1; i < object->name_length; i++)
    if (object->name[i] < '0' || object->name[i] > '9') return 0;
  return 1;
}

/* The next answer from `who`, which is then used up. */
static struct object *next_answer(const char *who, uint64_t length) {
  for (uint64_t i = 0; i < object_count; i++) {
    if (objects[i].taken || !is_answer(&objects[i], who, length)) continue;
    objects[i].taken = 1;
    return &objects[i];
  }
  return 0;
}

/* Whether the object is an answer of anybody's. */
static int is_any_answer(const struct object *object) {
  uint64_t length = object->name_length;
  while (length > 0 && object->name[length - 1] != '#') length--;
  return length > 1 && is_answer(object, object->name, length - 1);
}
