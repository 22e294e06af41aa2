// No symbolic data is needed for an error.
// paths: error=1
// exit: 1
// complete: true
int main(void) {
    volatile int zero = 0;
    return 1 / zero; // expect: div "zero"
}
