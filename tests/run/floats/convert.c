// From integers to floats and back.
// run: --entry round
// paths: finished=2
// exit: 0
// complete: true
int round(short n) {
    float f = (float)n;
    f = f / 4.0f;
    int back = (int)f;
    if (back == 100)
        return 1;
    return f < 0 ? 2 : 3;
}
