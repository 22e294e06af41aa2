enum state { BUSY, IDLE, DONE };

int next(enum state s) {
    switch (s) { // changed
    case IDLE:
        return 7;
    case BUSY:
        return 8;
    default:
        return 9;
    }
}

int is_done(enum state s) {
    return s == DONE;
}
