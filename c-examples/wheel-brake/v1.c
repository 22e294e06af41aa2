// A wheel-brake controller, version 1: from the pedal, the speed and the wheel's slip to a valve pressure.
#include <assert.h>
#include <stdbool.h>

enum { PEDAL_MOST = 100, PRESSURE_MOST = 3000, LOW_SPEED = 8, SLIP_LIMIT = 20 };

struct brake {
    int pressure;      // what the valve holds now
    bool skid_control; // whether pressure is being let off
    bool parked;
};

// The pressure that the driver asks for.
static int wanted(int pedal) {
    if (pedal < 0)
        return 0;
    if (pedal > PEDAL_MOST)
        pedal = PEDAL_MOST;
    return pedal * (PRESSURE_MOST / PEDAL_MOST);
}

// Lets off a quarter while the wheel slips, and a little more each time.
static int relieved(int pressure, int slip) {
    if (slip >= pressure)
        return 0;
    int less = pressure / 4 + slip;
    return less < pressure ? pressure - less : 0;
}

// One step of the control loop. Returns the new pressure.
int update(struct brake *brake, int pedal, int speed, int slip) {
    if (!brake)
        return -1;
    int pressure = wanted(pedal);
    if (brake->parked && speed == 0) {
        pressure = PRESSURE_MOST / 2;
    } else if (speed > LOW_SPEED && slip > SLIP_LIMIT) {
        pressure = relieved(pressure, slip);
        brake->skid_control = true;
    } else {
        brake->skid_control = false;
    }
    brake->pressure = pressure;
    assert(pressure >= 0 && pressure <= PRESSURE_MOST);
    return pressure;
}
