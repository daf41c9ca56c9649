/* BBR.extra_acked. Mirrors reference-py/src/firstflight/bbr/aggregation.py. */
#include "firstflight/bbr/aggregation.h"

#include "firstflight/bbr/control.h"
#include "firstflight/bbr/sample.h"
#include "firstflight/minmax.h"

/* Return the present one of the two samples, and reset that sample when its rounds begin. */
static uint64_t *begin_slot(const struct ff_bbr_readings *readings, struct ff_bbr *state)
{
    if (readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX) {
        uint64_t *slot = &state->extra_acked_rounds[state->round_count / FF_BBR_EXTRA_ACKED_LINUX_ROUNDS % 2];
        if (state->round_start && state->round_count % FF_BBR_EXTRA_ACKED_LINUX_ROUNDS == 0) {
            *slot = 0; /* [bbr.extra-acked.linux] */
        }
        return slot;
    }
    if (state->round_start) {
        state->extra_acked_age++;
        if (state->extra_acked_age >= (state->full_bw_reached ? FF_BBR_EXTRA_ACKED_LINUX_ROUNDS : 1)) {
            state->extra_acked_age = 0; /* [bbr.extra-acked.v3] */
            state->extra_acked_slot = 1 - state->extra_acked_slot;
            state->extra_acked_rounds[state->extra_acked_slot] = 0;
        }
    }
    return &state->extra_acked_rounds[state->extra_acked_slot];
}

/* Update BBR.extra_acked as Linux does: the larger of two samples of five rounds each. */
static void update_ack_aggregation_linux(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                         const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                         const struct ff_bbr_sample *sample)
{
    if (sample->prior_delivered_bytes == FF_BBR_INFINITE) {
        return; /* [bbr.extra-acked.linux.sample] */
    }
    uint64_t *slot = begin_slot(readings, state);
    uint64_t limit_bytes = FF_BBR_EXTRA_ACKED_LINUX_PACKETS * base->max_datagram_size_bytes;
    uint64_t time_ns = ff_bbr_clocked_ns(readings, t_ns) - ff_bbr_clocked_ns(readings, state->extra_acked_interval_start_ns);
    uint64_t expected_bytes = ff_bbr_delivers_bytes(readings, state, base, time_ns);
    uint64_t acked_bytes = state->extra_acked_delivered_bytes;
    if (acked_bytes <= expected_bytes || acked_bytes + ack->bytes >= limit_bytes) {
        acked_bytes = expected_bytes = 0; /* [bbr.extra-acked.linux.anew] */
        state->extra_acked_interval_start_ns = t_ns;
    }
    uint64_t most_bytes = limit_bytes - base->max_datagram_size_bytes;
    state->extra_acked_delivered_bytes = ff_min(acked_bytes + ack->bytes, most_bytes);
    *slot = ff_max(*slot, ff_min(state->extra_acked_delivered_bytes - expected_bytes, base->cwnd_bytes));
    state->extra_acked_bytes = ff_max(state->extra_acked_rounds[0], state->extra_acked_rounds[1]);
}

void ff_bbr_update_ack_aggregation(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                   const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                   const struct ff_bbr_sample *sample)
{
    if (readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX || readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX_V3) {
        update_ack_aggregation_linux(readings, state, base, t_ns, ack, sample);
        return;
    }
    uint64_t expected_bytes =
        ff_bbr_delivers_bytes(readings, state, base, t_ns - state->extra_acked_interval_start_ns);

    if (state->extra_acked_delivered_bytes <= expected_bytes) {
        state->extra_acked_delivered_bytes = 0; /* [bbr.extra-acked.anew] */
        state->extra_acked_interval_start_ns = t_ns;
        expected_bytes = 0;
    }
    state->extra_acked_delivered_bytes = ff_bbr_saturate(state->extra_acked_delivered_bytes + ack->bytes);
    uint64_t extra_bytes = ff_min(state->extra_acked_delivered_bytes - expected_bytes, base->cwnd_bytes); /* [bbr.extra-acked.sample] */
    uint64_t *slot = &state->extra_acked_rounds[state->round_count % FF_BBR_EXTRA_ACKED_ROUNDS];
    if (state->round_start) {
        *slot = 0;
    }
    *slot = ff_max(*slot, extra_bytes);
    state->extra_acked_bytes = *slot; /* [bbr.extra-acked.startup] */
    if (state->full_bw_reached) {
        for (size_t i = 0; i < FF_BBR_EXTRA_ACKED_ROUNDS; i++) {
            state->extra_acked_bytes = ff_max(state->extra_acked_bytes, state->extra_acked_rounds[i]); /* [bbr.extra-acked] */
        }
    }
}
