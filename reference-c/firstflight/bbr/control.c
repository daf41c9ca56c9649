/* The control parameters of BBR. Mirrors reference-py/src/firstflight/bbr/control.py. */
#include "firstflight/bbr/control.h"

#include "firstflight/bbr/packets.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/u128.h"

#define SECOND_NS UINT64_C(1000000000)

uint64_t ff_bbr_min_pipe_cwnd_bytes(const struct ff_base_state *base)
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

void ff_bbr_init_pacing_rate(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                              const struct ff_base_state *base, uint64_t rtt_ns)
{
    if (ff_bbr_in_packets(readings)) {
        uint64_t least_ns = ff_max(rtt_ns, FF_BBR_MICROSECOND_NS);
        struct ff_bbr_rate rate = ff_bbr_packets_rate_of(base->cwnd_bytes, least_ns, base->max_datagram_size_bytes); /* [bbr.units.initial] */
        state->pacing_rate = at_least_one(ff_bbr_packets_pacing_rate(rate, state->pacing_gain));
        return;
    }
    uint64_t per_second = state->pacing_gain * (SECOND_NS / FF_BBR_GAIN_UNIT);

    state->pacing_rate = at_least_one(ff_bbr_over(state->initial_window_bytes, per_second, rtt_ns)); /* [bbr.pacing.initial] */
}

static uint64_t paced_rate(const struct ff_bbr_readings *readings, const struct ff_bbr *state)
{
    if (ff_bbr_in_packets(readings)) {
        return ff_bbr_packets_pacing_rate(state->bw, state->pacing_gain); /* [bbr.units.pacing] */
    }
    /* 10^9 / (64000 * 100) = 625 / 4, and four times the interval has 61 bits. */
    uint64_t per_interval = state->pacing_gain * FF_BBR_PACED_PERCENT * 625;
    return ff_bbr_over(state->bw.delivered_bytes, per_interval, state->bw.interval_ns * 4);
}

void ff_bbr_set_pacing_rate(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                            const struct ff_base_state *base, const struct ff_ack *ack)
{
    bool has_srtt = ack->smoothed_rtt_ns != FF_NO_RTT_NS && ack->smoothed_rtt_ns > 0;

    if (has_srtt && !state->has_rtt && readings->initial_rate == FF_BBR_INITIAL_RATE_FIRST_SAMPLE) {
        ff_bbr_init_pacing_rate(readings, state, base, ack->smoothed_rtt_ns); /* [bbr.pacing.initial.sample] */
        state->has_rtt = true;
    }
    uint64_t rate = at_least_one(paced_rate(readings, state));
    if (state->full_bw_reached || rate > state->pacing_rate) { /* [bbr.pacing.rises] */
        state->pacing_rate = rate; /* [bbr.pacing.rate] */
    }
}

void ff_bbr_set_send_quantum(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                             const struct ff_base_state *base)
{
    if (readings->units == FF_BBR_UNITS_PACKETS) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        state->send_quantum_bytes = ff_bbr_packets_send_quantum_bytes(state->pacing_rate, size_bytes); /* [bbr.units.quantum] */
        return;
    }
    if (readings->units == FF_BBR_UNITS_PACKETS_V3) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        state->send_quantum_bytes = ff_bbr_packets_burst_bytes(state->pacing_rate, state->min_rtt_ns, size_bytes); /* [bbr.units.v3.quantum] */
        return;
    }
    uint64_t quantum_bytes = ff_min(state->pacing_rate / FF_BBR_QUANTA_PER_SECOND, FF_BBR_QUANTUM_MAX_BYTES); /* [bbr.quantum] */

    state->send_quantum_bytes = ff_max(quantum_bytes, FF_BBR_QUANTUM_PACKETS * base->max_datagram_size_bytes);
}

uint64_t ff_bbr_delivers_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                               const struct ff_base_state *base, uint64_t time_ns)
{
    if (ff_bbr_in_packets(readings)) {
        return ff_bbr_packets_delivered_bytes(state->bw, time_ns, base->max_datagram_size_bytes); /* [bbr.units.delivers] */
    }
    return ff_bbr_volume_bytes(state->bw, time_ns);
}

uint64_t ff_bbr_least_window_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                   const struct ff_base_state *base)
{
    if (readings->units == FF_BBR_UNITS_PACKETS) {
        return FF_BBR_INIT_CWND_PACKETS * base->max_datagram_size_bytes; /* [bbr.units.ten] */
    }
    if (readings->units == FF_BBR_UNITS_PACKETS_V3) {
        uint64_t most_bytes = FF_BBR_INIT_CWND_MOST_PACKETS * base->max_datagram_size_bytes;
        return ff_min(state->initial_window_bytes, most_bytes); /* [bbr.units.v3.initial] */
    }
    return state->initial_window_bytes;
}

uint64_t ff_bbr_bdp_multiple_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                   const struct ff_base_state *base, struct ff_bbr_rate rate, uint64_t gain)
{
    if (state->min_rtt_ns == FF_BBR_INFINITE) {
        return ff_bbr_least_window_bytes(readings, state, base); /* [bbr.bdp.none] */
    }
    if (ff_bbr_in_packets(readings)) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        return ff_bbr_packets_bdp_bytes(rate, state->min_rtt_ns, gain, size_bytes); /* [bbr.units.bdp] */
    }
    return ff_bbr_over(ff_bbr_volume_bytes(rate, state->min_rtt_ns), gain, FF_BBR_GAIN_UNIT); /* [bbr.bdp] */
}

uint64_t ff_bbr_quantization_budget_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                          const struct ff_base_state *base, uint64_t volume)
{
    uint64_t offload_bytes = readings->offload_quanta * state->send_quantum_bytes; /* [bbr.offload] */

    if (readings->units == FF_BBR_UNITS_PACKETS) {
        return ff_bbr_packets_even_bytes(volume + offload_bytes, base->max_datagram_size_bytes); /* [bbr.units.budget] */
    }
    return ff_max(ff_max(volume, offload_bytes), ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.budget] */
}

uint64_t ff_bbr_inflight_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                               const struct ff_base_state *base, struct ff_bbr_rate rate)
{
    uint64_t bdp_bytes = ff_bbr_bdp_multiple_bytes(readings, state, base, rate, FF_BBR_GAIN_UNIT);

    return ff_bbr_quantization_budget_bytes(readings, state, base, bdp_bytes);
}

/* Return the part of BBR.extra_acked that counts. */
static uint64_t aggregated_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                 const struct ff_base_state *base)
{
    if (readings->extra_acked != FF_BBR_EXTRA_ACKED_LINUX && readings->extra_acked != FF_BBR_EXTRA_ACKED_LINUX_V3) {
        return state->extra_acked_bytes;
    }
    if (readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX && !state->full_bw_reached) {
        return 0; /* [bbr.extra-acked.linux.startup] */
    }
    uint64_t most_bytes = ff_bbr_delivers_bytes(readings, state, base, FF_BBR_EXTRA_ACKED_MAX_NS);
    return ff_min(state->extra_acked_bytes, most_bytes); /* [bbr.extra-acked.linux.most] */
}

void ff_bbr_update_max_inflight(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                const struct ff_base_state *base)
{
    if (state->min_rtt_ns != FF_BBR_INFINITE) {
        state->bdp_bytes = ff_bbr_bdp_multiple_bytes(readings, state, base, state->bw, FF_BBR_GAIN_UNIT);
    }
    uint64_t multiple_bytes = ff_bbr_bdp_multiple_bytes(readings, state, base, state->bw, state->cwnd_gain);
    uint64_t volume = ff_bbr_saturate(multiple_bytes + aggregated_bytes(readings, state, base)); /* [bbr.max-inflight] */

    state->max_inflight_bytes = ff_bbr_quantization_budget_bytes(readings, state, base, volume);
}

void ff_bbr_bound_cwnd_for_model(const struct ff_bbr *state, struct ff_base_state *base)
{
    uint64_t cap_bytes = FF_BBR_INFINITE;

    if (state->phase == FF_PHASE_PROBE_BW) {
        cap_bytes = state->inflight_longterm_bytes; /* [bbr.cwnd.long-term] */
    }
    cap_bytes = ff_bbr_smaller_bound(cap_bytes, state->inflight_shortterm_bytes); /* [bbr.cwnd.short-term] */
    cap_bytes = ff_max(cap_bytes, ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.cwnd.cap.least] */
    base->cwnd_bytes = ff_min(base->cwnd_bytes, cap_bytes);
}

/* Return whether the first growth of the window is still free. */
static bool is_first_window(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                            const struct ff_base_state *base)
{
    uint64_t least_bytes = ff_bbr_least_window_bytes(readings, state, base);

    if (readings->first_window == FF_BBR_FIRST_WINDOW_TWICE) {
        return base->cwnd_bytes < 2 * least_bytes; /* [bbr.cwnd.grow.twice] */
    }
    return state->delivered_bytes < least_bytes;
}

void ff_bbr_set_cwnd(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                     const struct ff_ack *ack)
{
    ff_bbr_update_max_inflight(readings, state, base);
    if (state->packet_conservation) {
        uint64_t in_flight_bytes = ff_bbr_saturate(state->in_flight_bytes + ack->bytes);
        base->cwnd_bytes = ff_max(base->cwnd_bytes, in_flight_bytes); /* [bbr.conservation] */
        return;
    }
    uint64_t grown_bytes = ff_bbr_saturate(base->cwnd_bytes + ack->bytes);
    state->window_reached = false;
    if (state->full_bw_reached) {
        state->window_reached = grown_bytes >= state->max_inflight_bytes;
        base->cwnd_bytes = ff_min(grown_bytes, state->max_inflight_bytes); /* [bbr.cwnd.bounded] */
    } else if (base->cwnd_bytes < state->max_inflight_bytes || is_first_window(readings, state, base)) {
        base->cwnd_bytes = grown_bytes; /* [bbr.cwnd.grow] */
    } else {
        state->window_reached = true;
    }
    base->cwnd_bytes = ff_max(base->cwnd_bytes, ff_bbr_min_pipe_cwnd_bytes(base)); /* [bbr.cwnd.least] */
    ff_bbr_bound_cwnd_for_model(state, base);
}
