static int two(int x) {
    return x * 2;
}

static int one(int x) {
    return x + 1;
}

int both(int x) {
    return one(x) + two(x);
}
