// A function pointer as an input: anything may come back from it.
// run: --entry apply
// paths: finished=2
// exit: 0
// complete: true
typedef int (*operation)(int);

int apply(operation op, int n) {
    if (!op)
        return -1;
    int first = op(n), second = op(n);
    return first == second ? 1 : 2;
}
