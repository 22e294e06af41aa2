// The control unit of an aircraft's wheel brakes: one cycle, from the pedal to the meter valves.
#include <stdbool.h>

enum supply { GREEN, BLUE, ACCUMULATOR };

enum {
    GREEN_ENOUGH = 2500, // psi
    BLUE_ENOUGH = 2000,
    TAXI_SPEED = 20, // knots
    SPEED_MOST = 400,
    VALVE_MOST = 100, // per cent open
    RELEASE_CYCLES = 3,
};

// What the unit drives, and what it remembers from cycle to cycle.
int normal_valve;
int alternate_valve;
int skid_cycles;
bool warning;

// How far the driver wants the valve to open.
static int pedal_command(int pedal) {
    if (pedal <= 0)
        return 0;
    if (pedal == 1)
        return 20;
    if (pedal == 2)
        return 45;
    if (pedal == 3)
        return 70;
    return VALVE_MOST;
}

// What automatic braking asks for. It lets go when the aircraft is slow enough to taxi.
static int auto_command(int level, int speed) {
    if (speed < TAXI_SPEED)
        return 0;
    switch (level) {
    case 1:
        return 30;
    case 2:
        return 55;
    case 3:
        return 80;
    default:
        return 0;
    }
}

static enum supply select_supply(int green, int blue) {
    if (green >= GREEN_ENOUGH)
        return GREEN;
    if (blue >= BLUE_ENOUGH)
        return BLUE;
    return ACCUMULATOR;
}

// Takes pressure off while a wheel skids: half at first, all of it when that does not help.
static int anti_skid(int command, bool skid, int speed) {
    if (!skid || speed <= TAXI_SPEED) {
        skid_cycles = 0;
        return command;
    }
    if (skid_cycles < RELEASE_CYCLES)
        skid_cycles++;
    if (skid_cycles >= RELEASE_CYCLES)
        return 0;
    return command / 2;
}

static void drive_valves(enum supply supply, int command) {
    normal_valve = 0;
    alternate_valve = 0;
    if (supply == GREEN)
        normal_valve = command;
    else
        alternate_valve = command;
}

// One cycle. Returns how far the valve in use is open, or -1 if the speed makes no sense.
int brake_cycle(int pedal, int auto_level, int speed, bool skid, int green, int blue) {
    if (speed < 0 || speed > SPEED_MOST) {
        warning = true;
        return -1;
    }
    int command = pedal_command(pedal);
    int automatic = auto_command(auto_level, speed);
    if (automatic > command)
        command = automatic;
    enum supply supply = select_supply(green, blue);
    warning = false;
    if (supply == ACCUMULATOR) {
        // The accumulator holds only a few strokes, so there is no skid control, and no full braking at speed.
        warning = true;
        if (speed > 100 && command > 60)
            command = 60;
    } else {
        command = anti_skid(command, skid, speed);
    }
    drive_valves(supply, command);
    return command;
}
