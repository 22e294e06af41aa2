// && and || decide one operand after the other; ?: and ! add nothing of their own where clang selects.
// run: --entry f
// paths: finished=5
// exit: 0
// complete: true
int f(int a, int b, int c) {
    if ((a > 0 && b > 0) || !c)
        return a > b ? 1 : 2;
    return 3;
}
