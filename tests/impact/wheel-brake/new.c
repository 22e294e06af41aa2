// The example of the DiSE papers, in C: one step of a wheel brake.
int AltPress = 0;
int Meter = 2;

void update(int PedalPos, int BSwitch, int PedalCmd) {
    if (PedalPos <= 0) // changed
        PedalCmd = PedalCmd + 1; // impacted
    else if (PedalPos == 1) // impacted
        PedalCmd = PedalCmd + 2; // impacted
    else
        PedalCmd = PedalPos; // impacted
    PedalCmd = PedalCmd + 1; // impacted
    if (BSwitch == 0)
        Meter = 1;
    else if (BSwitch == 1)
        Meter = 2;
    if (PedalCmd == 2) // impacted
        AltPress = 0; // impacted
    else if (PedalCmd == 3) // impacted
        AltPress = 1; // impacted
    else
        AltPress = 2; // impacted
}
