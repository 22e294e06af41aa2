// The leading zeros of zero are anyone's guess.
// run: --entry f
// paths: finished=2 uncertain=2
// exit: 0
// complete: true
int f(unsigned x, unsigned long y) {
    int found = __builtin_clz(x);
    if (found == 3)
        return __builtin_ctzl(y);
    return found;
}
