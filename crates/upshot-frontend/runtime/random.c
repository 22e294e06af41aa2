/* rand and random: the sequence that glibc gives. It is an additive feedback generator over 31 words: each new word is
 * the sum of the words 31 and 3 places before it, and the answer is all but its lowest bit. A linear congruential
 * generator fills the first words, and 310 answers are thrown away before the first one is given. */

enum { RANDOM_WORDS = 31, RANDOM_BACK = 3, RANDOM_SKIPPED = 310 };

/* The last 31 words in a ring; `random_next` is where the oldest is, which the next one replaces. */
static uint32_t random_ring[RANDOM_WORDS];
static unsigned random_next;
static int random_seeded;

static int random_step(void) {
  unsigned other = random_next < RANDOM_BACK ? random_next + RANDOM_WORDS - RANDOM_BACK : random_next - RANDOM_BACK;
  uint32_t word = random_ring[random_next] + random_ring[other];
  random_ring[random_next] = word;
  random_next = random_next + 1 == RANDOM_WORDS ? 0 : random_next + 1;
  return (int)(word >> 1);
}

static void random_seed(unsigned seed) {
  int32_t word = seed == 0 ? 1 : (int32_t)seed;
  random_ring[0] = (uint32_t)word;
  for (int i = 1; i < RANDOM_WORDS; i++) {
    word = (int32_t)((int64_t)word * 16807 % INT32_MAX);
    if (word < 0) word += INT32_MAX;
    random_ring[i] = (uint32_t)word;
  }
  /* The first three words count as the newest ones. */
  random_next = RANDOM_BACK;
  random_seeded = 1;
  for (int i = 0; i < RANDOM_SKIPPED; i++) random_step();
}

static int random_answer(void) {
  if (!random_seeded) random_seed(1);
  return random_step();
}

int rand(void) { return random_answer(); }
long random(void) { return random_answer(); }
void srand(unsigned seed) { random_seed(seed); }
void srandom(unsigned seed) { random_seed(seed); }

static unsigned random_congruential(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return *seed / 65536u;
}

int rand_r(unsigned *seed) {
  unsigned answer = random_congruential(seed) % 2048;
  answer = answer << 10 ^ random_congruential(seed) % 1024;
  answer = answer << 10 ^ random_congruential(seed) % 1024;
  return (int)answer;
}
