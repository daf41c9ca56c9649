/* What a first flight consists of. Mirrors reference-py/src/firstflight/jumpstart/state.py. */
#include "firstflight/jumpstart/state.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

void ff_jumpstart_set_in_flight(struct ff_jumpstart *state, uint64_t bytes_in_flight)
{
    state->in_flight_bytes = ff_min(bytes_in_flight, FF_WINDOW_MAX_BYTES);
}

void ff_jumpstart_end_jump(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state)
{
    if (!state->jumping) {
        return;
    }
    state->jumping = false;
    state->flight_end = state->next_packet;
    if (readings->ends != FF_JUMPSTART_ENDS_ACK) {
        /* Below 2^62 + 2^29. */
        uint64_t planned_end = state->flight_first + state->limit_packets;
        state->flight_end = ff_min(state->flight_end, planned_end); /* [jumpstart.flight] */
    }
}

bool ff_jumpstart_in_flight(const struct ff_jumpstart *state, uint64_t packet)
{
    /* FF_NO_PACKET is above every number, so that it serves as no first and as no end. */
    return state->flight_first <= packet && packet < state->flight_end;
}

uint64_t ff_jumpstart_overlap(const struct ff_jumpstart *state, uint64_t first, uint64_t last)
{
    uint64_t low = ff_max(first, state->flight_first);
    uint64_t end = ff_min(last + 1, state->flight_end);

    return end > low ? end - low : 0;
}

uint64_t ff_jumpstart_packets_in_flight(const struct ff_jumpstart *state, const struct ff_run *runs, size_t run_count)
{
    uint64_t packets = 0;

    for (size_t i = 0; i < run_count; i++) {
        packets += ff_jumpstart_overlap(state, runs[i].first, runs[i].last);
    }
    return packets;
}
