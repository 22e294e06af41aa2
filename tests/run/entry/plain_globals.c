// Without it they have their initial values.
// run: --entry check
// paths: finished=2
// exit: 0
// complete: true
static int limit = 10;

int check(int n) {
    return n > limit ? 1 : limit != 10;
}
