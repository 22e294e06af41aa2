// Without the flag it is a value that nobody knows: both ways exist.
// run: --entry use
// paths: finished=2 uncertain=1
// exit: 0
// complete: true
int use(int which) {
    int local;
    if (which)
        local = 5;
    return local > 3;
}
