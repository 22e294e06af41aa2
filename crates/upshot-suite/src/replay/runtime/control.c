/* Native replay, part 1: the control page, the branch trace, and how the run ends.
 *
 * The parent process maps nothing: it makes a file, the replayed program maps that file, and what is written there is
 * still there however the program dies. So the trace is kept in the page itself, one count and one hash, and an end that
 * the exit status cannot tell is written there before the program ends.
 *
 * The parts are compiled as one unit. They may call the C library by name, because nothing that the user's program
 * defines is visible outside its own object; but what runs before the library is set up, or inside a signal handler,
 * makes its system calls itself. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define TRACE_START 0xcbf29ce484222325u
#define TRACE_PRIME 0x100000001b3u
#define PER_BLOCK 0x9E3779B97F4A7C15u
#define PER_SUCCESSOR 0xC2B2AE3D27D4EB4Fu
#define CONTROL_HEADER 4096
#define TEXT_CAPACITY 1024

/* Mirrored by control.rs. */
struct control {
  uint64_t magic;
  /* Written by the parent. */
  uint64_t wanted;          /* fold the first so many events into prefix_hash; all ones for no such wish */
  uint64_t stop;            /* end the run there */
  uint64_t stack_limit;     /* bytes; 0 for none */
  uint64_t memory_limit;
  uint64_t output_limit;
  uint64_t return_capacity; /* bytes after the header */
  uint64_t event_capacity;  /* events after those */
  /* Written by the program. */
  uint64_t started;
  uint64_t count;
  uint64_t hash;
  uint64_t prefix_hash;
  uint64_t prefix_reached;
  uint64_t end;
  uint64_t fault;
  uint64_t returned;
  int64_t value;
  uint64_t return_size;
  uint64_t text_size;
  char text[TEXT_CAPACITY];
};

struct event {
  uint64_t function;
  uint32_t block;
  uint32_t successor;
};

enum end {
  END_NONE,
  END_ASSUME,
  END_SILENT,
  END_REPORT,
  END_BAD_TEST,
  END_UNDEFINED,
  END_STOPPED,
  END_CHECK,
  END_SANITIZER,
  END_ASSERT,
};

enum fault { FAULT_NONE, FAULT_OTHER, FAULT_READ_ONLY, FAULT_STACK };

static union {
  struct control control;
  char bytes[CONTROL_HEADER];
} unshared; /* for a program started by hand, without a parent */
static struct control *control = &unshared.control;
static struct event *events;
static char *stack_top;

/* --- System calls, for where the library may not be used --------------------------------------------------------- */

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static void *map_file(const char *path, int writable, uint64_t *size) {
  long file = system_call(SYS_openat, AT_FDCWD, (long)path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0, 0, 0);
  if (file < 0) return 0;
  long length = system_call(SYS_lseek, file, 0, SEEK_END, 0, 0, 0);
  long address = -1;
  if (length > 0)
    address = system_call(SYS_mmap, 0, length, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                          writable ? MAP_SHARED : MAP_PRIVATE, file, 0);
  system_call(SYS_close, file, 0, 0, 0, 0, 0);
  *size = length > 0 ? (uint64_t)length : 0;
  return address < 0 && address > -4096 ? 0 : (void *)address;
}

static void *map_memory(uint64_t size) {
  long address = system_call(SYS_mmap, 0, (long)(size ? size : 1), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address < 0 && address > -4096 ? 0 : (void *)address;
}

static int begins(const char *text, const char *prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return 0;
  return 1;
}

/* --- Endings ------------------------------------------------------------------------------------------------------ */

static void add_text(const char *text) {
  for (; *text && control->text_size < TEXT_CAPACITY; text++) control->text[control->text_size++] = *text;
}

static void mark_end(enum end end, const char *text, const char *more) {
  if (control->end == END_STOPPED) return;
  control->end = end;
  control->text_size = 0;
  add_text(text);
  add_text(more);
}

/* Ends the run, from ordinary code. */
static void __attribute__((noreturn)) finish(enum end end, const char *text, const char *more) {
  mark_end(end, text, more);
  fflush(0);
  for (;;) system_call(SYS_exit_group, 125, 0, 0, 0, 0, 0);
}

/* --- The trace ---------------------------------------------------------------------------------------------------- */

void __upshot_branch(uint64_t function, uint32_t block, uint32_t successor) {
  uint64_t event = function + block * PER_BLOCK + successor * PER_SUCCESSOR;
  control->hash = (control->hash ^ event) * TRACE_PRIME;
  if (control->count < control->event_capacity) events[control->count] = (struct event){function, block, successor};
  if (++control->count == control->wanted) {
    control->prefix_hash = control->hash;
    control->prefix_reached = 1;
    if (control->stop) finish(END_STOPPED, "", "");
  }
}

/* --- Checks that the instrumentation calls ------------------------------------------------------------------------ */

/* Mirrored by checks.rs. */
static const char *const check_names[] = {"div-zero", "div-overflow", "overshift", "unreachable", "pointer", "overflow"};

void __upshot_check(int failed, uint32_t kind) {
  if (failed) finish(END_CHECK, check_names[kind], "");
}

extern void *__asan_region_is_poisoned(void *begin, size_t size) __attribute__((weak));

/* `address` was computed from `base` and is about to be used. If something poisoned lies between, it has left base's
 * object, even where it landed in another live one, which AddressSanitizer alone would let pass. A base that is itself outside of any
 * object (other than just past its end) says nothing. */
void __upshot_check_pointer(char *base, char *address) {
  const uint64_t farthest = 1 << 24;
  if (!__asan_region_is_poisoned || (uintptr_t)base < 65536 || base == address) return;
  if (__asan_region_is_poisoned(base, 1) && __asan_region_is_poisoned(base - 1, 1)) return;
  uint64_t distance = address > base ? address - base : base - address;
  if (distance > farthest) distance = farthest;
  if (__asan_region_is_poisoned(address > base ? base : base - distance, distance))
    finish(END_CHECK, "pointer", "");
}

/* --- AddressSanitizer --------------------------------------------------------------------------------------------- */

extern const char *__asan_get_report_description(void) __attribute__((weak));

/* Leaks are no errors here, faults are classified by our own handler, and lookups of symbols are slow. The red zones are as large as they
 * can be, so that an access far off still hits one. */
const char *__asan_default_options(void) {
  return "detect_leaks=0:detect_stack_use_after_return=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:"
         "handle_abort=0:use_sigaltstack=0:symbolize=0:redzone=2048:max_redzone=2048:allocator_may_return_null=1:"
         "alloc_dealloc_mismatch=0:detect_odr_violation=0:halt_on_error=1:abort_on_error=0:exitcode=125:"
         "print_legend=0:allow_user_segv_handler=1:poison_array_cookie=0";
}

void __asan_on_error(void) {
  mark_end(END_SANITIZER, __asan_get_report_description ? __asan_get_report_description() : "unknown", "");
}

/* --- Signals ------------------------------------------------------------------------------------------------------ */

/* Writes down what kind of fault it was, then lets the program die of it. */
static void on_fault(int signal_number, siginfo_t *info, void *context) {
  const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  char *stack = (char *)registers[REG_RSP], *address = (char *)info->si_addr;
  int from_kernel = info->si_code > 0;
  control->fault = FAULT_OTHER;
  if (signal_number == SIGSEGV && from_kernel) {
    int is_write = registers[REG_TRAPNO] == 14 && (registers[REG_ERR] & 2);
    if (stack < stack_top && address < stack_top && address >= stack - 65536)
      control->fault = FAULT_STACK;
    else if (is_write && info->si_code == SEGV_ACCERR)
      control->fault = FAULT_READ_ONLY;
  }
  signal(signal_number, SIG_DFL);
  /* A faulting instruction faults again when this returns; a signal that was sent has to be sent again. */
  if (!from_kernel) raise(signal_number);
}

static void watch_faults(void) {
  static char alternate[65536];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaltstack(&stack, 0);
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGBUS, &action, 0);
  sigaction(SIGFPE, &action, 0);
  sigaction(SIGILL, &action, 0);
}

/* What assert calls: as the C library's, and noted. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
  char number[16];
  snprintf(number, sizeof number, "%u", line);
  mark_end(END_ASSERT, file, ":");
  add_text(number);
  add_text(": ");
  add_text(assertion);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "", assertion);
  abort();
}

/* --- Start -------------------------------------------------------------------------------------------------------- */

static char test_path[4096];

static void limit(int resource, uint64_t bytes) {
  uint64_t both[2] = {bytes, bytes};
  if (bytes) system_call(SYS_prlimit64, 0, resource, (long)both, 0, 0, 0);
}

static void attach(const char *path) {
  uint64_t size = 0;
  struct control *mapped = map_file(path, 1, &size);
  if (!mapped || size < CONTROL_HEADER) return;
  uint64_t returns = (mapped->return_capacity + 15) & ~(uint64_t)15;
  if (size < CONTROL_HEADER + returns + mapped->event_capacity * sizeof(struct event)) return;
  control = mapped;
  events = (struct event *)((char *)mapped + CONTROL_HEADER + returns);
  uint64_t none[2] = {0, 0};
  system_call(SYS_prlimit64, 0, RLIMIT_CORE, (long)none, 0, 0, 0);
  limit(RLIMIT_STACK, mapped->stack_limit);
  limit(RLIMIT_AS, mapped->memory_limit);
  limit(RLIMIT_FSIZE, mapped->output_limit);
}

/* Runs before everything else of the program, so that constructors are traced too. The variables that are meant for
 * this file are taken out of the environment that the program sees. */
static void before_all(int argc, char **argv, char **environment) {
  (void)argc, (void)argv;
  char **kept = environment;
  for (char **variable = environment; *variable; variable++) {
    if (begins(*variable, "UPSHOT_REPLAY_RECORD=")) {
      attach(*variable + sizeof "UPSHOT_REPLAY_RECORD");
    } else if (begins(*variable, "UPSHOT_REPLAY_TEST=")) {
      const char *path = *variable + sizeof "UPSHOT_REPLAY_TEST";
      for (unsigned i = 0; path[i] && i + 1 < sizeof test_path; i++) test_path[i] = path[i];
    } else {
      *kept++ = *variable;
    }
  }
  *kept = 0;
  stack_top = (char *)environment;
  control->started = 1;
  control->hash = TRACE_START;
  if (control == &unshared.control) control->wanted = ~(uint64_t)0;
  if (control->wanted == 0) {
    control->prefix_hash = TRACE_START;
    control->prefix_reached = 1;
  }
}

__attribute__((section(".preinit_array"), used)) static void (*const run_before_all)(int, char **, char **) = before_all;

/* Output is not buffered: what was printed before a crash is then seen, as the executor sees it. */
__attribute__((constructor(101))) static void set_up(void) {
  setvbuf(stdout, 0, _IONBF, 0);
  watch_faults();
}

extern int __upshot_start(int argc, char **argv, char **environment);

int main(int argc, char **argv, char **environment) {
  if (control->wanted == 0 && control->stop) finish(END_STOPPED, "", "");
  int value = __upshot_start(argc, argv, environment);
  control->value = value;
  control->returned = 1;
  return value;
}
