static const int weights[4] = {1, 2, 5, 8};
static int calls[2];

int weight(int i) {
    calls[0]++;
    return weights[i & 3];
}
