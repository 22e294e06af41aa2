/* Every instruction calls here when it has run, with its number and what it has computed.
 *
 * A pointer counts as the object it points into and the offset: a global is known by its name, a local by the instruction that makes it and the
 * how-manieth time that was.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { MOST_EVENTS = 4000000, MOST_OBJECTS = 1 << 14, MOST_FRAMES = 1 << 12 };

struct object {
    uintptr_t base;
    uint64_t size, id;
};

static struct object objects[MOST_OBJECTS];
static unsigned frames[MOST_FRAMES];
static unsigned object_count, frame_count;
static uint64_t event_count;

/* What a run that does not end comes to. */
static void give_up(void);
/* A number that matched instructions share. */
static uint32_t common(uint32_t site);
/* How often an instruction has run. */
static uint64_t times(uint32_t site);
static void note(uint32_t site, uint64_t value);

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t z = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
    return z ^ (z >> 29);
}

static void add_object(uintptr_t base, uint64_t size, uint64_t id) {
    if (object_count == MOST_OBJECTS)
        give_up();
    objects[object_count++] = (struct object){base, size, id};
}

static uint64_t place(const void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    if (!address)
        return 0;
    /* Objects have gaps between them, so one past the end is still of the object. */
    for (unsigned i = object_count; i-- > 0;)
        if (address - objects[i].base <= objects[i].size)
            return mix(objects[i].id, address - objects[i].base);
    return address;
}

void up_ran(uint32_t site) { note(site, 0); }
void up_int(uint32_t site, uint64_t value) { note(site, value); }
void up_pointer(uint32_t site, const void *value) { note(site, place(value)); }
void up_store_int(uint32_t site, uint64_t value, const void *to) { note(site, mix(place(to), value)); }
void up_store_pointer(uint32_t site, const void *value, const void *to) { note(site, mix(place(to), place(value))); }

void up_local(uint32_t site, const void *base, uint64_t size) {
    note(site, 0);
    add_object((uintptr_t)base, size, mix(common(site), times(site)));
}

void up_enter(void) {
    if (frame_count == MOST_FRAMES)
        give_up();
    frames[frame_count++] = object_count;
}

void up_leave(void) { object_count = frames[--frame_count]; }

static void begin(const struct version *of) {
    object_count = frame_count = 0;
    event_count = 0;
    for (unsigned i = 0; i < of->object_count; i++)
        add_object((uintptr_t)of->objects[i].base, of->objects[i].size, (uint64_t)of->objects[i].id << 32);
}
