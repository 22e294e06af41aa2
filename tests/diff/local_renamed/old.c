int limit = 10;

int clamp(int value) {
    if (value > limit)
        return limit;
    return value;
}

int sum(const int *values, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        total += clamp(values[i]);
    return total;
}
