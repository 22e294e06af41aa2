// The same, chosen without a branch.
// run: --entry read -O1
// paths: finished=2 uncertain=2
// exit: 0
// complete: true
static int near[2] = {1, 2}, far[3] = {3, 4, 5};

int read(_Bool other, unsigned char index) {
    int *chosen = other ? far : near;
    return chosen[index & 1];
}
