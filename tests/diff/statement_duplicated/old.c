int counter;

int step(int x) {
    counter += x;
    return counter;
}
