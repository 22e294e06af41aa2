// Calls that only tell something change nothing.
// paths: finished=2
// exit: 0
// complete: true
#include <klee/klee.h>

static int global;

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_print_expr("n is", n);
    klee_print_range("n", n);
    klee_warning("careful");
    klee_warning_once("careful, once");
    klee_stack_trace();
    klee_mark_global(&global);
    klee_set_forking(1);
    klee_open_merge();
    if (n > 3)
        global = 1;
    klee_close_merge();
    return global;
}
