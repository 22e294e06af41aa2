/* Runs one version of every pair on some inputs, one after the other, and prints what all that ran folds to: the same natively and in the executor. */
static uint64_t order;

static void give_up(void) { abort(); }
static uint32_t common(uint32_t site) { return site; }
static uint64_t times(uint32_t site) { return event_count; }

static void note(uint32_t site, uint64_t value) {
    if (++event_count > MOST_EVENTS)
        give_up();
    order = mix(mix(order, site), value);
}

int main(void) {
    for (unsigned i = 0; i < PAIRS; i++)
        for (unsigned input = 0; input < pairs[i].input_count; input++) {
            begin(&pairs[i].versions[0]);
            order = 0;
            pairs[i].versions[0].call(pairs[i].inputs + input * pairs[i].parameter_count);
            printf("%u %u: %llu %llx\n", i, input, (unsigned long long)event_count, (unsigned long long)order);
        }
    return 0;
}
