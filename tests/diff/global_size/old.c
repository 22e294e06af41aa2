int room[4];

void put(int i, int x) {
    room[i] = x; // changed
}

int first(void) {
    return room[0]; // changed
}
