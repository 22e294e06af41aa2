int two(int x) {
    return x * 2;
}

int one(int x) { return x + two(x); }
