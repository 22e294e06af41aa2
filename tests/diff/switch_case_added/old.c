int f(int x) {
    int r = 0;
    switch (x) { // changed
    case 1:
        r = 10;
        break;
    default:
        r = 30;
    }
    return r;
}
