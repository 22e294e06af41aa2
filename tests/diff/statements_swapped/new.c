int x;

void f(void) {
    x *= 2;
    x += 3; // changed
}
