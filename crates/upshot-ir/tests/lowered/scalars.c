// clang: -O0
// Locals are slots; one whose address is taken is memory; parameters are stored first.
void use(int *);

unsigned classify(unsigned char c, long n) {
    unsigned kind = 0;
    switch (c) {
    case 'a': kind = 1; break;
    case 'b': kind = 2; break;
    default: kind = n > 7 ? (unsigned)n : c;
    }
    return kind;
}

int escapes(int n) {
    int seen = n;
    use(&seen);
    return seen;
}

int loop(const short *p, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] < 0)
            continue;
        total += p[i];
    }
    return total;
}

_Bool both(_Bool a, _Bool b) { return a && b; }
double mixed(float f, int i) { return f * i + 0.5; }
