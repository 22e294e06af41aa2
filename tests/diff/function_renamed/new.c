int factorial(int number) {
    if (number < 2)
        return 1;
    return number * factorial(number - 1);
}

int use(int n) {
    return factorial(n) + 1;
}
