// Checks the flight rules of an ascent, and decides whether to abort and how.
#include <stdbool.h>

enum phase { PAD, FIRST_STAGE, SECOND_STAGE };

enum mode { CONTINUE, HOLD, PAD_ESCAPE, TOWER_ESCAPE, SEPARATE, ABORT_TO_ORBIT, NO_PHASE };

enum rule { NONE, CHAMBER, TURBINE, TANKS, ATTITUDE, BODY_RATE, CABIN, POWER, LINK, REQUESTED };

enum light { GREEN, YELLOW, RED };

enum {
    CHAMBER_LEAST = 600, // psi
    CHAMBER_NOMINAL = 850,
    TURBINE_NOMINAL = 34000, // turns per minute
    TURBINE_MOST = 36500,
    TANK_DIFFERENCE = 12, // psi
    ATTITUDE_CAUTION = 30, // tenths of a degree
    ATTITUDE_MOST = 80,
    RATE_MOST = 50,
    CABIN_LEAST = 80, // tenths of a psi
    CABIN_NOMINAL = 140,
    VOLTAGE_LEAST = 240, // tenths of a volt
    VOLTAGE_NOMINAL = 270,
    LINK_SILENCE_MOST = 5, // seconds
    LINK_SILENCE_SHOWN = 2,
    TOWER_JETTISON = 90, // thousands of feet
    ORBIT_REACHABLE = 300,
};

struct telemetry {
    int phase;
    int chamber_pressure;
    int turbine_speed;
    int fuel_pressure;
    int oxidizer_pressure;
    int attitude_error;
    int body_rate;
    int cabin_pressure;
    int bus_voltage;
    int altitude;
    int link_silence;
    bool crew_abort;
    bool ground_abort;
};

// The outcome, for the record.
int cautions;
int violations;
int first_violated;

// For the display on board only; no rule reads it.
int link_light;

static void caution(void) {
    cautions++;
}

static void violated(enum rule rule) {
    if (violations == 0)
        first_violated = rule;
    violations++;
}

static int magnitude(int value) {
    return value < 0 ? -value : value;
}

static void check_engine(struct telemetry t) {
    if (t.chamber_pressure <= CHAMBER_LEAST)
        violated(CHAMBER);
    else if (t.chamber_pressure < CHAMBER_NOMINAL)
        caution();
    if (t.turbine_speed > TURBINE_MOST)
        violated(TURBINE);
    else if (t.turbine_speed > TURBINE_NOMINAL)
        caution();
}

// The wall between the tanks holds pressure from one side only.
static void check_tanks(struct telemetry t) {
    int difference = t.fuel_pressure - t.oxidizer_pressure;
    if (difference > TANK_DIFFERENCE)
        violated(TANKS);
}

// The first stage can break up when it flies askew; the second is above the air that would do it.
static void check_attitude(struct telemetry t) {
    int error = magnitude(t.attitude_error);
    if (error > ATTITUDE_MOST) {
        if (t.phase == FIRST_STAGE)
            violated(ATTITUDE);
        else
            caution();
    } else if (error > ATTITUDE_CAUTION) {
        caution();
    }
    if (t.body_rate > RATE_MOST || t.body_rate < -RATE_MOST)
        violated(BODY_RATE);
}

static void check_cabin(struct telemetry t) {
    if (t.cabin_pressure < CABIN_LEAST)
        violated(CABIN);
    else if (t.cabin_pressure < CABIN_NOMINAL)
        caution();
    if (t.bus_voltage < VOLTAGE_LEAST)
        violated(POWER);
    else if (t.bus_voltage < VOLTAGE_NOMINAL)
        caution();
}

static void check_link(struct telemetry t) {
    if (t.link_silence > LINK_SILENCE_MOST)
        caution();
}

static void show_link(struct telemetry t) {
    if (t.link_silence > LINK_SILENCE_MOST)
        link_light = RED;
    else if (t.link_silence > LINK_SILENCE_SHOWN)
        link_light = YELLOW;
    else
        link_light = GREEN;
}

// What the crew asks for counts always, what the ground asks for only while it hears the vehicle.
static void check_requests(struct telemetry t) {
    if (t.crew_abort)
        violated(REQUESTED);
    else if (t.ground_abort && t.link_silence <= LINK_SILENCE_MOST)
        violated(REQUESTED);
}

// Before the launch nothing is lost by waiting, so only what endangers the crew calls for the escape system.
static enum mode check_on_pad(struct telemetry t) {
    check_cabin(t);
    check_requests(t);
    if (first_violated == REQUESTED || first_violated == CABIN)
        return PAD_ESCAPE;
    if (violations > 0 || cautions > 1)
        return HOLD;
    return CONTINUE;
}

static enum mode abort_mode(struct telemetry t) {
    if (t.phase == FIRST_STAGE)
        return t.altitude < TOWER_JETTISON ? TOWER_ESCAPE : SEPARATE;
    if (t.altitude >= ORBIT_REACHABLE && first_violated != CABIN)
        return ABORT_TO_ORBIT;
    return SEPARATE;
}

// Which mode to fly on in. The counts start anew with each record.
int check_rules(struct telemetry t) {
    cautions = 0;
    violations = 0;
    first_violated = NONE;
    if (t.phase == PAD)
        return check_on_pad(t);
    if (t.phase != FIRST_STAGE && t.phase != SECOND_STAGE)
        return NO_PHASE;
    check_engine(t);
    check_tanks(t);
    check_attitude(t);
    check_cabin(t);
    check_link(t);
    show_link(t);
    check_requests(t);
    if (violations == 0 && cautions < 5)
        return CONTINUE;
    return abort_mode(t);
}
