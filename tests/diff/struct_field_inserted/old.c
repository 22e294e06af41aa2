struct account {
    int id;
    long balance;
    int flags;
};

int id_of(struct account *a) {
    return a->id;
}

long balance_of(struct account *a) {
    return a->balance;
}

void mark(struct account *a, int flag) {
    int all = a->flags | flag; // changed
    if (all != flag)
        a->flags = all; // changed
}
