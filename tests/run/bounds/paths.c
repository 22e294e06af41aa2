// The first paths in path order, whatever the search order and the number of workers.
// run: --entry f --max-paths 5
// also: --search bfs
// also: --search random --seed 3
// also: --search coverage
// paths: finished=5
// exit: 3
// complete: false
int f(unsigned n) {
    int sum = 0;
    for (int i = 0; i < 6; i++)
        if (n >> i & 1)
            sum += i;
    return sum;
}
