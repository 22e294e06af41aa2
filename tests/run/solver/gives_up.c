// A question that takes too long leaves its side open: the path is unknown, and the run is not complete.
// run: --entry factor --solver-timeout 20
// determinism: no the limit is one of time
// paths: finished=5 unknown=1
// exit: 3
// complete: false
int factor(unsigned long long a, unsigned long long b) {
    if (a < 2 || a >= 1ULL << 32 || b < 2 || b >= 1ULL << 32)
        return 0;
    if (a * b == 4611685975477714963ULL) // 2147483647 * 2147483629
        return 1;
    return 2;
}
