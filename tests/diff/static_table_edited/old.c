static const int weights[4] = {1, 2, 4, 8};
static int calls[2];

int weight(int i) {
    calls[0]++;
    return weights[i & 3];
}
