/* The calls by which a C program talks to the executor that runs it.
 *
 * The names and signatures are those that KLEE offers, so that a harness written for KLEE compiles unchanged and means
 * the same here. None of these has a body: the executor recognises them by name, and `upshot replay` brings its own. */

#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Input -------------------------------------------------------------------------------------------------------- */

/* From now on the `nbytes` bytes at `addr` (a whole object) may hold anything. Tests call them `name`. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* An unknown int with begin <= value < end. */
int klee_range(int begin, int end, const char *name);

/* An unknown int. */
int klee_int(const char *name);

/* An unknown number below n. */
uintptr_t klee_choose(uintptr_t n);

/* --- Conditions --------------------------------------------------------------------------------------------------- */

/* Drops all inputs for which the condition is zero. */
void klee_assume(uintptr_t condition);

/* Ends the path as a failed assertion where the condition can be false. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
    __attribute__((__noreturn__));
#define klee_assert(expr) \
  ((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))

/* Among the inputs of a path, prefers for its test those that meet the condition; never an obligation. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* --- Ending a path ------------------------------------------------------------------------------------------------ */

/* Ends the path without a test. */
void klee_silent_exit(int status) __attribute__((__noreturn__));

/* Ends the path as `abort` would. */
void klee_abort(void) __attribute__((__noreturn__));

/* Ends the path as an error of the caller's own making; `suffix` names its kind. */
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
    __attribute__((__noreturn__));

/* --- Asking the executor ------------------------------------------------------------------------------------------ */

/* One value that the argument can have on this path. The path is not bound to it. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* Size of the object that `ptr` points to the start of. */
size_t klee_get_obj_size(void *ptr);

/* Whether the value depends on input. */
unsigned klee_is_symbolic(uintptr_t n);

/* Non-zero when a test is replayed natively. */
unsigned klee_is_replay(void);

/* Ends the path with a memory error unless [address, address + size) is within one live object. */
void klee_check_memory_access(const void *address, size_t size);

/* The executor's own idea of errno. */
int klee_get_errno(void);

/* --- Printing ----------------------------------------------------------------------------------------------------- */

void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_stack_trace(void);

/* --- Directing the executor --------------------------------------------------------------------------------------- */

/* Lets the program use the bytes at a fixed address. */
void klee_define_fixed_object(void *addr, size_t nbytes);

/* The object is not a local of the function that made it. */
void klee_mark_global(void *object);

/* With 0 as argument, follows one side of a branch only until it is called with another. */
void klee_set_forking(unsigned enable);

/* Paths that part between the two calls may be followed together after them. */
void klee_open_merge(void);
void klee_close_merge(void);

/* Calls of the first function go to the second. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);

#ifdef __cplusplus
}
#endif

#endif
