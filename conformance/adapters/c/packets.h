/* The packets of an event, and a growing array of slots, one for each packet number. */
#ifndef FIRSTFLIGHT_PACKETS_H
#define FIRSTFLIGHT_PACKETS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "firstflight_adapter.h"

/* Loop over the packets of an event in ascending order, with the run and the number of each. */
#define FOR_EACH_PACKET(event, run, number)                                                                            \
    for (const struct firstflight_run *run = (event)->packets; run != (event)->packets + (event)->run_count; run++)    \
        for (uint64_t number = run->first; number <= run->last; number++)

struct slots {
    void *first;
    uint64_t count;
};

/* Make room for a packet number; new slots are zero. Return 0 if memory is short. */
static inline int slots_reserve(struct slots *slots, uint64_t number, size_t size)
{
    uint64_t count = slots->count != 0 ? slots->count : 1024;

    if (number < slots->count) {
        return 1;
    }
    while (count <= number) {
        count *= 2;
    }
    void *first = realloc(slots->first, count * size);
    if (first == NULL) {
        return 0;
    }
    memset((char *)first + slots->count * size, 0, (count - slots->count) * size);
    *slots = (struct slots){first, count};
    return 1;
}

#endif
