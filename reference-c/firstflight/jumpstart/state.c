/* The packets of a first flight. Mirrors reference-py/src/firstflight/jumpstart/state.py. */
#include "firstflight/jumpstart/state.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

void ff_jumpstart_set_in_flight(struct ff_jumpstart *state, uint64_t bytes_in_flight)
{
    state->in_flight_bytes = ff_min(bytes_in_flight, FF_WINDOW_MAX_BYTES);
}

void ff_jumpstart_add_to_flight(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                const struct ff_run *runs, size_t run_count)
{
    if (state->sent_packets == 0) {
        state->flight_first = runs[0].first; /* packets not in flight may have been sent since the jump began */
    }
    for (size_t i = 0; i < run_count; i++) {
        uint64_t packets = ff_run_count(&runs[i]);
        if (readings->ends != FF_JUMPSTART_ENDS_ACK) {
            packets = ff_min(packets, state->limit_packets - state->sent_packets); /* [jumpstart.flight] */
        }
        state->sent_packets = ff_min(state->sent_packets + packets, state->limit_packets);
        if (packets > 0) {
            state->flight_end = runs[i].first + packets;
        }
    }
}

bool ff_jumpstart_in_flight(const struct ff_jumpstart *state, uint64_t packet)
{
    /* Without a flight flight_first is FF_NO_PACKET, which is above every packet number. */
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
