int room[6];

void put(int i, int x) {
    room[i] = x; // changed
}

int first(void) {
    return room[0]; // changed
}
