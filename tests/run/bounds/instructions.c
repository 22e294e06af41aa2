// A path that never ends is cut off; the others finish.
// run: --entry f --max-instructions 1000
// paths: finished=1 bound=1
// exit: 3
// complete: false
int f(int n) {
    while (n == 3)
        ;
    return n > 3;
}
