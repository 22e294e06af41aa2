// run: --entry dispatch --all-errors
// Functions chosen by an input.
// paths: finished=7 error=1
// exit: 1
// complete: true
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int (*const table[])(int, int) = {add, sub, 0, mul};

int dispatch(unsigned which, int a, int b) {
    if (which > 3) return 0;
    int result = table[which](a, b); // expect: ptr
    return result == 12 ? 1 : result;
}
