// A string literal is written.
// run: --entry upper
// paths: finished=1 error=1
// exit: 1
// complete: true
char *upper(int n) {
    char *text = "abc";
    if (n > 0)
        text[0] = 'A'; // expect: readonly
    return text;
}
