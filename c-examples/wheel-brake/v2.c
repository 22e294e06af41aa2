// A wheel-brake controller, version 2: in skid control, at low speed, the pressure comes back in steps.
#include <assert.h>
#include <stdbool.h>

enum { PEDAL_MOST = 100, PRESSURE_MOST = 3000, LOW_SPEED = 8, SLIP_LIMIT = 20, STEP = 250 };

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
    } else if (speed > LOW_SPEED && slip >= SLIP_LIMIT) {
        pressure = relieved(pressure, slip);
        brake->skid_control = true;
    } else if (brake->skid_control && pressure > brake->pressure) {
        // The valve may be closed by more than one step at a time, but is it open by less than the whole?
        pressure = brake->pressure + STEP;
        brake->skid_control = pressure < wanted(pedal);
    } else {
        brake->skid_control = false;
    }
    brake->pressure = pressure;
    assert(pressure >= 0 && pressure <= PRESSURE_MOST);
    return pressure;
}
