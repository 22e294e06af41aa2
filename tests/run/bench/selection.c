// Selection sort of N numbers without a harness-made order: it compares all pairs, so the paths are more than N!.
// run: -DN=4
// paths: finished=33
// exit: 0
// complete: true
#include <klee/klee.h>

int main(void) {
    short values[N];
    klee_make_symbolic(values, sizeof values, "values");
    for (int i = 0; i + 1 < N; i++) {
        int least = i;
        for (int j = i + 1; j < N; j++)
            if (values[j] < values[least])
                least = j;
        short swap = values[i];
        values[i] = values[least];
        values[least] = swap;
    }
    for (int i = 0; i + 1 < N; i++)
        if (values[i] > values[i + 1])
            klee_abort();
    return 0;
}
