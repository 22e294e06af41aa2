// clang: -O0
// What cannot be expressed ends the path, with words; the rest of the function is there.
int assembly(int x) {
    int r;
    __asm__("bsfl %1, %0" : "=r"(r) : "r"(x));
    return r;
}
void barrier(void) { __asm__ volatile("" ::: "memory"); }
int opaque(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int jump(int x) {
    __asm__ goto("testl %0, %0; jne %l1" : : "r"(x) : : yes);
    return 0;
yes:
    return 1;
}
int wide(_BitInt(256) x, int y) { // only division is missing
    if (y)
        return 3;
    return x / 3 > 5;
}
