// Clang emits what the label is in, behind a branch that is never taken.
int f(int x) {
    if (0) {
    never:
        x = 2;
    }
    return x;
}
