static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*const table[])(void) = {two, one};
int call(int i) { return table[i](); }
