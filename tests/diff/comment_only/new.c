int limit = 10;

/* Keeps a value
   in bounds. */
int clamp(int value) {
    if (value > limit)
        return limit;
    return value; // in bounds
}

int sum(const int *values, int count) {
    int total = 0;
    for (int i = 0; i < count; i++)
        /* add */ total += clamp(values[i]);
    return total;
}
