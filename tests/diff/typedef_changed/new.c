typedef long number;

number twice(number n) { // changed
    number result = n * 2; // changed
    return result; // changed
}

int other(int n) {
    return n + 1;
}
