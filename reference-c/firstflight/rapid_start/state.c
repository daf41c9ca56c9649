/* The state of Rapid Start. Mirrors reference-py/src/firstflight/rapid_start/state.py. */
#include "firstflight/rapid_start/state.h"

#include "firstflight/minmax.h"

uint64_t ff_rapid_start_floor_ns(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state)
{
    uint64_t smallest_ns = FF_NO_RTT_NS;

    if (readings->rtt_floor == FF_RAPID_START_RTT_FLOOR_ROUND) {
        return state->round_min_ns;
    }
    for (unsigned slot = 0; slot < FF_RAPID_START_SLOTS; slot++) {
        smallest_ns = ff_min(smallest_ns, state->slots_ns[slot]);
    }
    return smallest_ns;
}
