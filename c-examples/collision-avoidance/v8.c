// Decides how to keep clear of another aircraft.
#include <stdbool.h>

enum advice { CLEAR, TRAFFIC, CLIMB, DESCEND, KEEP_LEVEL, INVALID };

enum {
    ALTITUDE_MOST = 50000, // feet
    RATE_MOST = 100,       // feet per second
    RANGE_MOST = 120000,   // feet
    CLOSING_MOST = 4000,   // feet per second
    LOW_ALTITUDE = 1000,   // no descending below
    CEILING = 45000,       // no climbing above
    MANOEUVRE_RATE = 25,   // feet per second
};

struct aircraft {
    int altitude;
    int rate;
};

// How cautious to be; more so higher up.
struct caution {
    int warn_seconds;
    int act_seconds;
    int separation;
};

int advice_given;

static bool sensible(struct aircraft aircraft) {
    return aircraft.altitude >= 0 && aircraft.altitude <= ALTITUDE_MOST && aircraft.rate >= -RATE_MOST && aircraft.rate <= RATE_MOST;
}

static struct caution caution_at(int altitude) {
    struct caution caution = {20, 15, 300};
    if (altitude > 20000) {
        caution.warn_seconds = 45;
        caution.act_seconds = 30;
        caution.separation = 700;
    } else if (altitude > 5000) {
        caution.warn_seconds = 35;
        caution.act_seconds = 25;
        caution.separation = 400;
    }
    return caution;
}

// Whether they can meet within so many seconds. Slow approaches count when they are near already.
static bool meets_within(int range, int closing, int seconds) {
    if (closing < 0)
        return range < 1500;
    return range / closing <= seconds;
}

static int after(struct aircraft aircraft, int seconds) {
    return aircraft.altitude + aircraft.rate * seconds;
}

static int distance(int a, int b) {
    return a > b ? a - b : b - a;
}

// Up or down, whichever leaves more room; what the other aircraft reports to do comes first.
static enum advice direction(struct aircraft own, struct aircraft other, int reported, int seconds) {
    int expected = after(other, seconds);
    int above = own.altitude + MANOEUVRE_RATE * seconds - expected;
    int below = expected - (own.altitude - MANOEUVRE_RATE * seconds);
    if (reported == CLIMB)
        return DESCEND;
    if (reported == DESCEND)
        return CLIMB;
    return above >= below ? CLIMB : DESCEND;
}

// The advice, or INVALID if the inputs make no sense. `reported` is what the other aircraft says it will do.
int advise(struct aircraft own, struct aircraft other, int range, int closing, int reported) {
    if (!sensible(own) || !sensible(other))
        return INVALID;
    if (range < 0 || range > RANGE_MOST || closing < -CLOSING_MOST || closing > CLOSING_MOST)
        return INVALID;
    struct caution caution = caution_at(own.altitude);
    enum advice advice = CLEAR;
    if (meets_within(range, closing, caution.warn_seconds)) {
        advice = TRAFFIC;
        if (meets_within(range, closing, caution.act_seconds)) {
            int gap = distance(after(own, caution.act_seconds), after(other, caution.act_seconds));
            if (gap < caution.separation)
                advice = direction(own, other, reported, caution.act_seconds);
        }
    }
    if (advice == DESCEND && own.altitude < LOW_ALTITUDE)
        advice = KEEP_LEVEL;
    if (advice == CLIMB && own.altitude > CEILING)
        advice = KEEP_LEVEL;
    advice_given = advice;
    return advice;
}
