// Runs three tasks by priority, tick by tick.
#include <stdbool.h>
#include <stddef.h>

enum { TASKS = 3, TICKS = 3, PRIORITY_MOST = 10, WORK_MOST = 10, PATIENCE = 2 };

enum state { READY, RUNNING, BLOCKED, DONE };

enum { NOBODY = -1, BAD_TABLE = -2 };

struct task {
    unsigned char state;
    signed char priority;
    signed char work; // ticks still to do
    signed char waited;
};

struct table {
    struct task tasks[TASKS];
    int idle; // ticks in which nobody could run
};

// How often the processor went from one task to another.
int switches;

static bool valid(const struct task *task) {
    return task->state <= DONE && task->state != RUNNING && task->priority >= 0 && task->priority <= PRIORITY_MOST && task->work > 0 &&
           task->work <= WORK_MOST;
}

// The ready task with the highest priority; the first of several.
static int choose(const struct table *table) {
    int best = NOBODY;
    for (int i = 0; i < TASKS; i++) {
        const struct task *task = &table->tasks[i];
        if (task->state != READY && task->state != RUNNING)
            continue;
        if (best == NOBODY || task->priority > table->tasks[best].priority)
            best = i;
    }
    return best;
}

// A task that has waited for too long gains one step of priority.
static void age(struct table *table, int running) {
    for (int i = 0; i < TASKS; i++) {
        struct task *task = &table->tasks[i];
        if (i == running || task->state != READY)
            continue;
        task->waited++;
        if (task->waited >= PATIENCE && task->priority < PRIORITY_MOST)
            task->priority++;
    }
}

static void stop(struct task *task) {
    if (task->state == RUNNING)
        task->state = READY;
}

static void run(struct task *task) {
    task->state = RUNNING;
    task->waited = 0;
    task->work--;
    if (task->work == 0)
        task->state = DONE;
}

// Runs for a few ticks; a task keeps the processor for `quantum` ticks. Returns who ran last.
int run_schedule(struct table *table, int quantum) {
    if (table == NULL || quantum < 1)
        return BAD_TABLE;
    for (int i = 0; i < TASKS; i++) {
        if (!valid(&table->tasks[i]))
            return BAD_TABLE;
        table->tasks[i].waited = 0;
    }
    table->idle = 0;
    switches = 0;
    int current = NOBODY;
    int left = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        if (current == NOBODY || left == 0 || table->tasks[current].state == DONE) {
            int next = choose(table);
            if (current != NOBODY && next != current) {
                stop(&table->tasks[current]);
                switches++;
            }
            current = next;
            left = quantum;
        }
        if (current == NOBODY) {
            table->idle++;
            continue;
        }
        run(&table->tasks[current]);
        left--;
        age(table, current);
    }
    return current;
}
