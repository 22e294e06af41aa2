int counter;

int step(int x) {
    counter += x;
    counter += x; // changed
    return counter;
}
