// clang: -O0
// Computed goto, setjmp and longjmp, atomics, calls through pointers.
typedef struct { long w[25]; } jmp_buf[1];
int _setjmp(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((noreturn));
jmp_buf env;
int protected(void (*f)(int)) {
    if (_setjmp(env))
        return -1;
    f(3);
    longjmp(env, 7);
}
int goes(int i) {
    static void *const to[] = {&&zero, &&one};
    goto *to[i];
zero:
    return 10;
one:
    return 11;
}
int atomics(int *p, long *q) {
    int expected = 4;
    __atomic_fetch_add(q, 5, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_compare_exchange_n(p, &expected, 6, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}
