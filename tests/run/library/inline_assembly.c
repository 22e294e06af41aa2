// Inline assembly is not executed; it says so.
// run: --entry f
// paths: finished=1 unsupported=1
// exit: 3
// complete: false
int f(int n) {
    int out = 0;
    if (n == 3)
        __asm__("movl $5, %0" : "=r"(out)); // unsupported
    __asm__ volatile("" ::: "memory");
    return out + n;
}
