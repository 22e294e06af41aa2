int x;

void f(void) {
    x += 3; // changed
    x *= 2;
}
