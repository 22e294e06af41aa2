// One axis of an attitude autopilot: when to fire which jets, and for how long.
#include <stdbool.h>

enum {
    ERROR_MOST = 1800, // tenths of a degree
    RATE_MOST = 200,   // tenths of a degree per second
    WIDE_DEADBAND = 50,
    NARROW_DEADBAND = 3,
    ACCELERATION = 14, // of one jet: tenths of a degree per second, in one cycle
    JETS = 8,
    PAIR = 2,
    CYCLES_MOST = 6,
};

enum { OUT_OF_RANGE = -1, NO_JETS = -2 };

// Even jets push one way, odd ones the other.
unsigned char jets_on;
int total_firings;

static int magnitude(int value) {
    return value < 0 ? -value : value;
}

// How far the vehicle turns until it stands still, if it is braked with two jets from now on.
static int stopping_angle(int rate) {
    int angle = rate * rate / (4 * ACCELERATION);
    return rate < 0 ? -angle : angle;
}

// 1 or -1: which way to push; 0 inside the deadband.
static int direction(int error, int rate, int deadband) {
    int reached = error + stopping_angle(rate);
    if (reached > deadband)
        return -1;
    if (reached < -deadband)
        return 1;
    return 0;
}

// Picks up to `wanted` working jets that push this way.
static int pick_jets(int push, unsigned char failed, int wanted, unsigned char *picked) {
    int count = 0;
    *picked = 0;
    for (int jet = push > 0 ? 0 : 1; jet < JETS; jet += 2) {
        if (count == wanted)
            break;
        if (failed & (1 << jet))
            continue;
        *picked |= (unsigned char)(1 << jet);
        count++;
    }
    return count;
}

// How many cycles it takes until the rate no longer leads away from where it should go.
static int firing_cycles(int push, int rate, int jets) {
    int each = jets * ACCELERATION;
    int missing = -push * rate;
    int cycles;
    for (cycles = 1; cycles < CYCLES_MOST; cycles++) {
        if (missing <= each)
            break;
        missing -= each;
    }
    return cycles;
}

// Returns for how many cycles to fire `jets_on`.
int control_axis(int error, int rate, unsigned char failed, bool precise) {
    jets_on = 0;
    if (error < -ERROR_MOST || error > ERROR_MOST || rate < -RATE_MOST || rate > RATE_MOST)
        return OUT_OF_RANGE;
    int deadband = precise ? NARROW_DEADBAND : WIDE_DEADBAND;
    int push = direction(error, rate, deadband);
    if (push == 0)
        return 0;
    int wanted = PAIR;
    if (!precise && magnitude(error) > ERROR_MOST / 4)
        wanted = 2 * PAIR;
    unsigned char picked;
    int count = pick_jets(push, failed, wanted, &picked);
    if (count == 0)
        return NO_JETS;
    int cycles = firing_cycles(push, rate, count);
    jets_on = picked;
    total_firings += cycles * count;
    return cycles;
}
