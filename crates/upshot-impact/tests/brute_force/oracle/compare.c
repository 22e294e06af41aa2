/* Runs both versions of every pair on every input, and tells where they differ.
 *
 * What an instruction computes is folded into a number per instruction, so two runs can be compared instruction by instruction: as many times, with the same
 * values in the same order.
 */
#include <setjmp.h>
#include <signal.h>

struct site {
    /* The counterpart in the other version, or UINT32_MAX. */
    uint32_t partner;
    /* The same for both of a matched pair, and for no others. */
    uint32_t common;
    /* Claimed not to be impacted. */
    uint32_t quiet;
};

static struct site *sites;
static uint64_t *counts, *folds;
static unsigned char *told;
static uint64_t order;
static int tracing;
static sigjmp_buf out;

static void give_up(void) { siglongjmp(out, 2); }
static uint32_t common(uint32_t site) { return sites[site].common; }
static uint64_t times(uint32_t site) { return counts[site]; }

static void note(uint32_t site, uint64_t value) {
    if (++event_count > MOST_EVENTS)
        give_up();
    counts[site]++;
    folds[site] = mix(folds[site], value);
    if (sites[site].quiet)
        order = mix(mix(order, sites[site].common), value);
    if (tracing)
        printf("t %u %llx\n", site, (unsigned long long)value);
}

static void trapped(int number) {
    (void)number;
    siglongjmp(out, 1);
}

/* 0: it returned; 1: it trapped; 2: it does not end. */
static int run(const struct pair *pair, int version, const long *input) {
    const struct version *of = &pair->versions[version];
    memset(counts + of->first, 0, (of->last - of->first) * sizeof *counts);
    memset(folds + of->first, 0, (of->last - of->first) * sizeof *folds);
    if (of->state_start)
        memcpy(of->state_start, of->saved, of->state_end - of->state_start);
    begin(of);
    order = 0;
    int end = sigsetjmp(out, 1);
    if (end == 0)
        of->call(input);
    return end;
}

static void compare(const struct pair *pair, unsigned input) {
    const struct version *old = &pair->versions[0], *new = &pair->versions[1];
    for (uint32_t site = new->first; site < new->last; site++) {
        uint32_t partner = sites[site].partner;
        if (partner == UINT32_MAX ? counts[site] : counts[site] != counts[partner] || folds[site] != folds[partner]) {
            if (!told[site])
                printf("d %u %u\n", site, input);
            told[site] |= 1;
        }
        if (counts[site])
            told[site] |= 2;
    }
    for (uint32_t site = old->first; site < old->last; site++)
        if (sites[site].partner == UINT32_MAX && counts[site] && !told[site]) {
            printf("d %u %u\n", site, input);
            told[site] = 1;
        }
}

static void run_pair(unsigned number, const struct pair *pair) {
    unsigned trapped = 0, out_of_order = 0;
    for (unsigned input = 0; input < pair->input_count; input++) {
        const long *values = pair->inputs + input * pair->parameter_count;
        int old_end = run(pair, 0, values);
        uint64_t old_order = order;
        int new_end = run(pair, 1, values);
        if (old_end == 2 || new_end == 2)
            printf("e %u %u\n", number, input);
        trapped += (old_end == 1) + (new_end == 1);
        if (order != old_order && !out_of_order++)
            printf("o %u %u\n", number, input);
        compare(pair, input);
    }
    for (uint32_t site = pair->versions[1].first; site < pair->versions[1].last; site++)
        if (told[site] & 2)
            printf("x %u\n", site);
    printf("s %u %u %u\n", number, 2 * pair->input_count, trapped);
}

static void trace(const struct pair *pair, unsigned input) {
    tracing = 1;
    for (int version = 0; version < 2; version++)
        run(pair, version, pair->inputs + input * pair->parameter_count);
}

int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "rb");
    sites = malloc(SITES * sizeof *sites);
    if (!file || fread(sites, sizeof *sites, SITES, file) != SITES)
        return 3;
    counts = calloc(SITES, sizeof *counts);
    folds = calloc(SITES, sizeof *folds);
    told = calloc(SITES, 1);
    struct sigaction action = {.sa_handler = trapped, .sa_flags = SA_NODEFER};
    sigaction(SIGFPE, &action, 0);
    sigaction(SIGSEGV, &action, 0);
    sigaction(SIGILL, &action, 0);
    sigaction(SIGTRAP, &action, 0);
    for (unsigned i = 0; i < PAIRS; i++)
        for (int version = 0; version < 2; version++) {
            struct version *of = &pairs[i].versions[version];
            uint64_t size = of->state_end - of->state_start;
            of->saved = malloc(size + 1);
            if (size)
                memcpy(of->saved, of->state_start, size);
        }
    if (argc == 4) {
        trace(&pairs[atoi(argv[2])], atoi(argv[3]));
        return 0;
    }
    for (unsigned i = 0; i < PAIRS; i++)
        run_pair(i, &pairs[i]);
    return 0;
}
