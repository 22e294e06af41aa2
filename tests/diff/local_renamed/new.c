int limit = 10;

int clamp(int value) {
    if (value > limit)
        return limit;
    return value;
}

int sum(const int *values, int n) {
    int result = 0;
    for (int k = 0; k < n; k++)
        result += clamp(values[k]);
    return result;
}
