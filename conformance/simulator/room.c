/* Memory that grows, and the way out of a run that cannot go on. */
#include <stdlib.h>

#include "parts.h"

void sim_raise(struct sim_room *room, enum sim_status status)
{
    room->status = status;
    longjmp(room->refused, 1);
}

void *sim_grow(struct sim_room *room, void *items, size_t *capacity, size_t count, size_t item_size)
{
    size_t wanted = *capacity > 0 ? *capacity : 64;
    while (wanted <= count && wanted <= SIZE_MAX / 2 / item_size) {
        wanted *= 2;
    }
    void *grown = wanted > count ? realloc(items, wanted * item_size) : NULL;
    if (grown == NULL) {
        sim_raise(room, SIM_NO_MEMORY);
    }
    *capacity = wanted;
    return grown;
}
