static int one(int x) {
    return x + 1;
}

static int two(int x) {
    return x * 2;
}

int both(int x) {
    return one(x) + two(x);
}
