// Switches a device on below a threshold of altitude. Three altimeters vote.
#include <stdbool.h>

enum {
    SENSORS = 3,
    ALTITUDE_MOST = 60000, // feet; an altimeter that says more is broken
    THRESHOLD = 2000,
    HYSTERESIS = 200,
    SILENT_MOST = 4, // cycles without a reading before it is a fault
};

enum status { OK, HELD, STUCK, FAULT };

struct reading {
    int altitude;
    bool valid;
};

bool device_on;
bool fault;
int silent_cycles;
int last_altitude;

static bool usable(struct reading reading) {
    return reading.valid && reading.altitude >= 0 && reading.altitude <= ALTITUDE_MOST;
}

static int lower(int a, int b) {
    return a < b ? a : b;
}

static int higher(int a, int b) {
    return a > b ? a : b;
}

static int middle(int a, int b, int c) {
    return higher(lower(a, b), lower(higher(a, b), c));
}

// The altitude that the usable altimeters agree on: the middle of three, the lower of two. Returns how many there are.
static int vote(const struct reading readings[SENSORS], int *altitude) {
    int values[SENSORS];
    int count = 0;
    for (int i = 0; i < SENSORS; i++) {
        if (usable(readings[i]))
            values[count++] = readings[i].altitude;
    }
    if (count == 3)
        *altitude = middle(values[0], values[1], values[2]);
    else if (count == 2)
        *altitude = higher(values[0], values[1]);
    else if (count == 1)
        *altitude = values[0];
    return count;
}

// Between the threshold and its hysteresis, the device stays as it is.
static void decide(int altitude, bool inhibited) {
    if (inhibited)
        return;
    if (altitude < THRESHOLD)
        device_on = true;
    else if (altitude > THRESHOLD + HYSTERESIS)
        device_on = false;
}

int switch_cycle(struct reading first, struct reading second, struct reading third, bool inhibited, bool reset) {
    const struct reading readings[SENSORS] = {first, second, third};
    int altitude = 0;
    if (reset) {
        fault = false;
        silent_cycles = 0;
    }
    if (fault)
        return FAULT;
    int count = vote(readings, &altitude);
    if (count == 0) {
        silent_cycles++;
        if (silent_cycles > SILENT_MOST) {
            fault = true;
            device_on = false;
            return FAULT;
        }
        return HELD;
    }
    silent_cycles = 0;
    bool stuck = count == 1 && altitude == last_altitude;
    last_altitude = altitude;
    decide(altitude, inhibited);
    return stuck ? STUCK : OK;
}
