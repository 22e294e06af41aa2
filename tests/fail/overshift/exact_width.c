// Exactly the width is too much; one less is not.
// run: --entry shift --assume 'amount >= 31 && amount <= 32'
// paths: finished=1 error=1
// exit: 1
// complete: true
unsigned shift(unsigned value, unsigned amount) {
    return value << amount; // expect: overshift
}
