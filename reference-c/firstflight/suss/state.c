/* The state of SUSS, and the pacing of red packets. Mirrors reference-py/src/firstflight/suss/state.py. */
#include "firstflight/suss/state.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/observables.h"

#define US_NS UINT64_C(1000)
#define SECOND_NS UINT64_C(1000000000)

void ff_suss_set_in_flight(struct ff_suss *state, uint64_t bytes_in_flight)
{
    state->in_flight_bytes = ff_min(bytes_in_flight, FF_WINDOW_MAX_BYTES);
}

bool ff_suss_is_active(const struct ff_suss *state)
{
    return state->mode == FF_SUSS_MODE_CLOCKED || state->mode == FF_SUSS_MODE_PACED;
}

uint64_t ff_suss_min_us(const struct ff_suss *state)
{
    return state->hystart.min_ns == FF_NO_RTT_NS ? 0 : state->hystart.min_ns / US_NS;
}

uint64_t ff_suss_next_release_ns(const struct ff_suss *state)
{
    return state->mode == FF_SUSS_MODE_PACED ? state->release_ns : FF_NONE;
}

void ff_suss_pace_sent(struct ff_suss *state, uint64_t t_ns, const struct ff_sent *sent)
{
    if (state->release_ns == FF_NONE || state->rate == 0) {
        return;
    }
    uint64_t gap_ns = ff_min(sent->bytes, FF_SUSS_PACED_MAX_BYTES) * SECOND_NS / state->rate; /* [suss.pacing.gap] */
    uint64_t late_ns = t_ns > state->release_ns ? t_ns - state->release_ns : 0;
    gap_ns -= ff_min(gap_ns / 2, late_ns); /* [suss.pacing.late] */
    state->release_ns = ff_min(ff_max(state->release_ns, t_ns) + gap_ns, FF_TIME_MAX_NS);
}
