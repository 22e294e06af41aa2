int x;

void f(void) {
    x++;
    x++;
    x *= 2;
    x++;
}
