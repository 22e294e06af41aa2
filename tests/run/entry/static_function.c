// A static function can be the entry.
// run: --entry hidden
// paths: finished=2
// exit: 0
// complete: true
static int hidden(signed char c) {
    return c < 0 ? -c : c;
}

int main(void) {
    return hidden(1);
}
