/* Growing memory, and the exit from a run that cannot continue. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

void sim_raise(struct sim_memory *memory, enum sim_status status)
{
    memory->status = status;
    longjmp(memory->refused, 1);
}

void *sim_grow(struct sim_memory *memory, void *items, size_t *capacity, size_t count, size_t item_size)
{
    size_t wanted = *capacity > 0 ? *capacity : 64;
    while (wanted <= count && wanted <= SIZE_MAX / 2 / item_size) {
        wanted *= 2;
    }
    void *grown = wanted > count ? realloc(items, wanted * item_size) : NULL;
    if (grown == NULL) {
        sim_raise(memory, SIM_NO_MEMORY);
    }
    *capacity = wanted;
    return grown;
}

/* Return the address of a new item at the end of a ring. */
void *sim_ring_add(struct sim_ring *ring)
{
    size_t old = ring->capacity;

    if (ring->count == old) {
        ring->items = sim_grow(ring->memory, ring->items, &ring->capacity, old, ring->item_size);
        /* Items that had wrapped around follow the old end. */
        memcpy(ring->items + old * ring->item_size, ring->items, ring->head * ring->item_size);
    }
    return ring->items + (ring->head + ring->count++) % ring->capacity * ring->item_size;
}

/* Drop the first item. */
void sim_ring_drop(struct sim_ring *ring)
{
    ring->head = (ring->head + 1) % ring->capacity;
    ring->count--;
}

static void grow_span(struct sim_span *span)
{
    size_t old = span->capacity;

    span->items = sim_grow(span->memory, span->items, &span->capacity, old, span->item_size);
    /* The capacity doubled: an item keeps its index or moves by the old capacity. */
    for (uint64_t number = span->oldest; number < span->oldest + old; number++) {
        if (number & old) {
            memcpy(sim_span_at(span, number), span->items + (number & (old - 1)) * span->item_size, span->item_size);
        }
    }
}

/* Return the address of the item with the next number. */
void *sim_span_add(struct sim_span *span)
{
    if (span->end - span->oldest == span->capacity) {
        grow_span(span);
    }
    return sim_span_at(span, span->end++);
}
