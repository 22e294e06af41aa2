int f(int x) {
    int r = 0;
    switch (x) { // changed
    case 1:
        r = 10;
        break;
    case 2:
        r = 20; // changed
        break; // changed
    default:
        r = 30;
    }
    return r;
}
