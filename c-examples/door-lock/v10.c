// A door lock with a keypad, as a state machine.
#include <stdbool.h>

enum { EVENTS = 4, CODE_LENGTH = 2, WRONG_MOST = 2 };

enum state { LOCKED, ENTERING, UNLOCKED, OPEN, ALARM };

// Events 0 to 9 are keys.
enum event { KEY_MOST = 9, HANDLE, DOOR_CLOSES, TIME_PASSES, RESET };

struct events {
    unsigned char codes[EVENTS];
};

struct lock {
    enum state state;
    int entered; // digits so far
    bool matching; // whether all of them are right
    int wrong;     // wrong codes in a row
};

static const unsigned char code[CODE_LENGTH] = {4, 7};

int times_opened;

static void forget_digits(struct lock *lock) {
    lock->entered = 0;
    lock->matching = true;
}

static void lock_again(struct lock *lock) {
    lock->state = LOCKED;
    forget_digits(lock);
}

// A code is complete: the door can be opened, or it was wrong.
static void judge(struct lock *lock) {
    if (lock->matching) {
        lock->state = UNLOCKED;
        lock->wrong = 0;
    } else {
        lock->wrong++;
        lock->state = lock->wrong > WRONG_MOST ? ALARM : LOCKED;
    }
    forget_digits(lock);
}

static void press_key(struct lock *lock, unsigned char key) {
    lock->state = ENTERING;
    if (code[lock->entered] != key)
        lock->matching = false;
    lock->entered++;
    if (lock->entered == CODE_LENGTH)
        judge(lock);
}

// What an event does in the state that the lock is in; what does not fit is ignored.
static void step(struct lock *lock, unsigned char event) {
    switch (lock->state) {
    case LOCKED:
    case ENTERING:
        if (event <= KEY_MOST)
            press_key(lock, event);
        else if (event == TIME_PASSES)
            lock_again(lock);
        break;
    case UNLOCKED:
        if (event == HANDLE) {
            lock->state = OPEN;
            times_opened++;
        } else if (event == TIME_PASSES) {
            lock_again(lock);
        }
        break;
    case OPEN:
        if (event == DOOR_CLOSES)
            lock_again(lock);
        break;
    case ALARM:
        if (event == RESET || event <= KEY_MOST) {
            lock->wrong = 0;
            lock_again(lock);
        }
        break;
    }
}

int run_events(struct events events) {
    // Somebody has entered a wrong code twice already.
    struct lock lock = {LOCKED, 0, true, WRONG_MOST};
    for (int i = 0; i < EVENTS && lock.state != ALARM; i++)
        step(&lock, events.codes[i]);
    return (int)lock.state + 10 * lock.entered + 100 * lock.wrong;
}
