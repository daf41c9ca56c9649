/* What BBR controls. Mirrors reference-py/src/firstflight/bbr/control.py. */
#include "firstflight/bbr/control.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/u128.h"

#define SECOND_NS UINT64_C(1000000000)

uint64_t ff_bbr_min_pipe_cwnd_bytes(const struct ff_newreno *base)
{
    return FF_BBR_MIN_PIPE_PACKETS * base->max_datagram_size_bytes;
}

void ff_bbr_pace_sent(struct ff_bbr *state, uint64_t t_ns, const struct ff_sent *sent)
{
    uint64_t whole_ns = ff_bbr_over(sent->bytes, SECOND_NS, state->pacing_rate); /* [bbr.pacing.delay] */

    if (ff_compare_128(ff_mul_64_64(whole_ns, state->pacing_rate), ff_mul_64_64(sent->bytes, SECOND_NS)) < 0) {
        whole_ns++; /* [bbr.rounding.delay] */
    }
    uint64_t due_ns = state->next_send_ns == FF_NONE ? 0 : state->next_send_ns;
    state->next_send_ns = ff_min(ff_max(t_ns, due_ns) + whole_ns, FF_TIME_MAX_NS); /* [bbr.pacing.next] */
}

static uint64_t at_least_one(uint64_t rate)
{
    return ff_max(rate, 1); /* [bbr.pacing.least] */
}

void ff_bbr_init_pacing_rate(struct ff_bbr *state, uint64_t rtt_ns)
{
    uint64_t per_second = state->pacing_gain * (SECOND_NS / FF_BBR_GAIN_UNIT);

    state->pacing_rate = at_least_one(ff_bbr_over(state->initial_window_bytes, per_second, rtt_ns)); /* [bbr.pacing.initial] */
}

void ff_bbr_set_pacing_rate(const struct ff_bbr_readings *readings, struct ff_bbr *state, const struct ff_ack *ack)
{
    bool has_srtt = ack->smoothed_rtt_ns != FF_NO_RTT_NS && ack->smoothed_rtt_ns > 0;

    if (has_srtt && !state->has_rtt && readings->initial_rate == FF_BBR_INITIAL_RATE_FIRST_SAMPLE) {
        ff_bbr_init_pacing_rate(state, ack->smoothed_rtt_ns); /* [bbr.pacing.initial.sample] */
        state->has_rtt = true;
    }
    /* 10^9 / (64000 * 100) is 625 / 4, and four times the interval has 61 bits. */
    uint64_t per_interval = state->pacing_gain * FF_BBR_PACED_PERCENT * 625;
    uint64_t rate = at_least_one(ff_bbr_over(state->bw.delivered_bytes, per_interval, state->bw.interval_ns * 4));
    if (state->full_bw_reached || rate > state->pacing_rate) { /* [bbr.pacing.rises] */
        state->pacing_rate = rate; /* [bbr.pacing.rate] */
    }
}

void ff_bbr_set_send_quantum(struct ff_bbr *state, const struct ff_newreno *base)
{
    uint64_t quantum_bytes = ff_min(state->pacing_rate / FF_BBR_QUANTA_PER_SECOND, FF_BBR_QUANTUM_MAX_BYTES); /* [bbr.quantum] */

    state->send_quantum_bytes = ff_max(quantum_bytes, FF_BBR_QUANTUM_PACKETS * base->max_datagram_size_bytes);
}

uint64_t ff_bbr_bdp_multiple_bytes(struct ff_bbr *state, uint64_t gain)
{
    if (state->min_rtt_ns == FF_BBR_INFINITE) {
        return state->initial_window_bytes; /* [bbr.bdp.none] */
    }
    state->bdp_bytes = ff_bbr_volume_bytes(state->bw, state->min_rtt_ns); /* [bbr.bdp] */
    return ff_bbr_over(state->bdp_bytes, gain, FF_BBR_GAIN_UNIT);
}

uint64_t ff_bbr_quantization_budget_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                          const struct ff_newreno *base, uint64_t volume)
{
    uint64_t offload_bytes = readings->offload_quanta * state->send_quantum_bytes; /* [bbr.offload] */

    return ff_max(ff_max(volume, offload_bytes), ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.budget] */
}

uint64_t ff_bbr_inflight_bytes(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                               const struct ff_newreno *base, uint64_t gain)
{
    return ff_bbr_quantization_budget_bytes(readings, state, base, ff_bbr_bdp_multiple_bytes(state, gain));
}

void ff_bbr_update_max_inflight(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                const struct ff_newreno *base)
{
    uint64_t volume = ff_bbr_saturate(ff_bbr_bdp_multiple_bytes(state, state->cwnd_gain) + state->extra_acked_bytes); /* [bbr.max-inflight] */

    state->max_inflight_bytes = ff_bbr_quantization_budget_bytes(readings, state, base, volume);
}

static void bound_cwnd_for_model(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                 struct ff_newreno *base)
{
    uint64_t cap_bytes = FF_BBR_INFINITE;

    if (state->phase == FF_PHASE_PROBE_BW) {
        cap_bytes = state->inflight_longterm_bytes; /* [bbr.cwnd.long-term] */
    } else if (state->phase == FF_PHASE_DRAIN && readings->drain_cap == FF_BBR_DRAIN_CAP_BOTH) {
        cap_bytes = state->inflight_longterm_bytes; /* [bbr.cwnd.long-term.drain] */
    }
    cap_bytes = ff_bbr_smaller_bound(cap_bytes, state->inflight_shortterm_bytes); /* [bbr.cwnd.short-term] */
    cap_bytes = ff_max(cap_bytes, ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.cwnd.cap.least] */
    base->cwnd_bytes = ff_min(base->cwnd_bytes, cap_bytes);
}

void ff_bbr_set_cwnd(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_newreno *base,
                     const struct ff_ack *ack)
{
    ff_bbr_update_max_inflight(readings, state, base);
    uint64_t grown_bytes = ff_bbr_saturate(base->cwnd_bytes + ack->bytes);
    if (state->full_bw_reached) {
        base->cwnd_bytes = ff_min(grown_bytes, state->max_inflight_bytes); /* [bbr.cwnd.bounded] */
    } else if (base->cwnd_bytes < state->max_inflight_bytes || state->delivered_bytes < state->initial_window_bytes) {
        base->cwnd_bytes = grown_bytes; /* [bbr.cwnd.grow] */
    }
    base->cwnd_bytes = ff_max(base->cwnd_bytes, ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.cwnd.least] */
    bound_cwnd_for_model(readings, state, base);
}
