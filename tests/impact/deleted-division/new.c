// A division that went away: what it kept out can happen now.
int f(int x) {
    int z = 0;
    if (x == 0) // impacted
        return 7; // impacted
    return 8; // impacted
} // impacted
