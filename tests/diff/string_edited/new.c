int puts(const char *);

void f(int x) {
    puts("begin");
    puts("End"); // changed
}
