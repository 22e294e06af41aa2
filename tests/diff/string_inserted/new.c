int puts(const char *);

void f(int x) {
    puts("first"); // changed
    puts("begin");
    if (x)
        puts("yes");
    puts("end");
}
