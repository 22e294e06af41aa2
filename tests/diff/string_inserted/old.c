int puts(const char *);

void f(int x) {
    puts("begin");
    if (x)
        puts("yes");
    puts("end");
}
