// Calls through pointers that are no functions: null, data, and past the end of a table.
// run: --entry call
// paths: finished=2 error=4
// exit: 1
// complete: true
typedef int (*operation)(int);

static int one(int x) {
    return x + 1;
}
static int two(int x) {
    return x + 2;
}

static operation table[3] = {one, two, 0};
static int data;

int call(unsigned which, int x) {
    if (which == 9)
        return ((operation)&data)(x); // expect: ptr "no function"
    if (which == 2)
        return table[which](x); // expect: ptr
    operation chosen = table[which & 3]; // expect: ptr "out of bounds"
    return chosen(x); // expect: ptr
}
