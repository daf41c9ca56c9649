/* What BBR of picoquic knows of the path. Mirrors reference-py/src/firstflight/bbr/picoquic_path.py. */
#include "firstflight/bbr/picoquic_path.h"

#include "firstflight/bbr/packets.h"
#include "firstflight/bbr/rate.h"
#include "firstflight/minmax.h"

#define SECOND_NS UINT64_C(1000000000)
#define SECOND_US UINT64_C(1000000)

void ff_bbr_picoquic_note_sent(struct ff_bbr *state, uint64_t t_ns, const struct ff_sent *sent)
{
    struct ff_bbr_picoquic *own = &state->picoquic;
    uint64_t now_ns = ff_bbr_whole_ns(t_ns);
    bool is_idle = own->sent_ns != FF_NONE && now_ns > own->sent_ns + FF_BBR_PICOQUIC_IDLE_NS;

    if (is_idle && sent->bytes_in_flight <= sent->bytes && own->limited_bytes > 0) {
        state->extra_acked_interval_start_ns = now_ns; /* [bbr.picoquic.idle] */
    }
    own->sent_ns = now_ns;
    if (sent->app_limited) {
        uint64_t in_flight_bytes = ff_bbr_saturate(sent->bytes_in_flight);
        own->limited_bytes = ff_max(ff_bbr_saturate(state->delivered_bytes + in_flight_bytes), 1);
    }
}

void ff_bbr_picoquic_note_lost(struct ff_bbr *state, const struct ff_lost *lost)
{
    state->newly_lost_bytes = ff_bbr_saturate(state->newly_lost_bytes + lost->bytes);
    for (size_t i = 0; i < lost->run_count; i++) {
        if (lost->packets[i].first != state->next_lost_packet) {
            state->picoquic.lost_ranges++; /* [bbr.picoquic.loss-exit.separate] */
        }
        state->next_lost_packet = lost->packets[i].last + 1;
    }
}

uint64_t ff_bbr_picoquic_path_rtt_ns(struct ff_bbr *state, uint64_t t_ns, const struct ff_ack *ack)
{
    struct ff_bbr_picoquic *own = &state->picoquic;
    uint64_t rtt_ns = ff_bbr_whole_ns(t_ns - ack->packets[ack->run_count - 1].sent_t_ns); /* [bbr.picoquic.rtt] */
    uint64_t less_ns = rtt_ns - ff_min(rtt_ns, ff_bbr_whole_ns(ack->ack_delay_ns));

    if (own->path_rtt_ns < less_ns) {
        rtt_ns = less_ns; /* [bbr.picoquic.rtt.delay] */
    }
    own->path_rtt_ns = ff_min(own->path_rtt_ns, rtt_ns);
    return rtt_ns;
}

static void estimate(struct ff_bbr *state, const struct ff_run *newest, uint64_t delivered_bytes, uint64_t interval_ns)
{
    struct ff_bbr_picoquic *own = &state->picoquic;
    uint64_t sent_ns = ff_bbr_whole_ns(newest->sent_t_ns);

    if (interval_ns <= FF_BBR_PICOQUIC_INTERVAL_MIN_NS || sent_ns < own->estimate_sent_ns) {
        return; /* [bbr.picoquic.rate.kept] */
    }
    own->estimate_bytes_per_s = ff_bbr_over(delivered_bytes, SECOND_US, interval_ns / FF_BBR_MICROSECOND_NS);
    own->estimate_sent_ns = sent_ns; /* [bbr.picoquic.rate] */
    if (state->delivered_bytes >= own->limited_bytes) {
        own->limited_bytes = 0;
    }
}

struct ff_bbr_sample ff_bbr_picoquic_rate_sample(struct ff_bbr *state, const struct ff_ack *ack, uint64_t rtt_ns)
{
    struct ff_bbr_picoquic *own = &state->picoquic;
    const struct ff_run *newest = &ack->packets[ack->run_count - 1];
    uint64_t delivered_bytes = ack->rate_delivered_bytes;
    uint64_t in_flight_bytes = ack->rate_in_flight_bytes, lost_bytes = ack->rate_lost_bytes;

    own->highest_packet = ff_max(own->highest_packet, newest->last);
    state->in_flight_bytes = ff_bbr_saturate(ack->bytes_in_flight);
    if (delivered_bytes == FF_NO_SAMPLE || ack->rate_interval_ns == FF_NO_SAMPLE ||
        ack->rate_prior_delivered_bytes == FF_NO_SAMPLE) {
        delivered_bytes = ff_bbr_saturate(ack->bytes);
        in_flight_bytes = lost_bytes = 0;
        state->delivered_bytes = ff_bbr_saturate(state->delivered_bytes + delivered_bytes); /* [bbr.picoquic.rate.none] */
    } else {
        state->delivered_bytes = ff_bbr_saturate(ack->rate_prior_delivered_bytes + delivered_bytes);
        estimate(state, newest, delivered_bytes, ff_bbr_whole_ns(ack->rate_interval_ns));
    }
    uint64_t rate = own->estimate_bytes_per_s;
    if (rate == 0 && rtt_ns > 0) {
        rate = ff_bbr_over(delivered_bytes, SECOND_US, rtt_ns / FF_BBR_MICROSECOND_NS); /* [bbr.picoquic.rate.rtt] */
    }
    return (struct ff_bbr_sample){
        .rate = rate > 0 ? (struct ff_bbr_rate){rate, SECOND_NS} : ff_bbr_rate_zero,
        .delivered_bytes = delivered_bytes,
        .prior_delivered_bytes = state->delivered_bytes - delivered_bytes,
        .app_limited = ack->rate_app_limited,
        .in_flight_bytes = in_flight_bytes - ff_min(in_flight_bytes, newest->size_bytes), /* [bbr.picoquic.before] */
        .lost_bytes = lost_bytes,
    };
}

void ff_bbr_picoquic_update_round(struct ff_bbr *state, const struct ff_ack *ack)
{
    struct ff_bbr_picoquic *own = &state->picoquic;

    state->round_start = own->highest_packet >= own->round_end_packet;
    if (state->round_start) {
        own->round_end_packet = ack->next_packet; /* [bbr.picoquic.round] */
        state->round_count++;
        state->extra_acked_rounds[state->round_count % FF_BBR_EXTRA_ACKED_ROUNDS] = 0;
    }
}

void ff_bbr_picoquic_update_ack_aggregation(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns,
                                            const struct ff_ack *ack)
{
    uint64_t now_ns = ff_bbr_whole_ns(t_ns);
    uint64_t time_us = (now_ns - state->extra_acked_interval_start_ns) / FF_BBR_MICROSECOND_NS;
    uint64_t expected_bytes = ff_bbr_over(state->bw.delivered_bytes, time_us, 1); /* [bbr.picoquic.extra-acked] */

    if (state->extra_acked_delivered_bytes <= expected_bytes) {
        state->extra_acked_delivered_bytes = expected_bytes = 0;
        state->extra_acked_interval_start_ns = now_ns;
    }
    state->extra_acked_delivered_bytes = ff_bbr_saturate(state->extra_acked_delivered_bytes + ack->bytes);
    uint64_t extra_bytes = ff_min(state->extra_acked_delivered_bytes - expected_bytes, base->cwnd_bytes);
    uint64_t *slot = &state->extra_acked_rounds[state->round_count % FF_BBR_EXTRA_ACKED_ROUNDS];
    *slot = ff_max(*slot, extra_bytes);
    state->extra_acked_bytes = 0;
    for (size_t i = 0; i < FF_BBR_EXTRA_ACKED_ROUNDS; i++) {
        state->extra_acked_bytes = ff_max(state->extra_acked_bytes, state->extra_acked_rounds[i]); /* [bbr.picoquic.extra-acked.ten] */
    }
}

static void take_rtt(struct ff_bbr_picoquic *own, uint64_t now_ns, uint64_t rtt_ns)
{
    if (now_ns <= own->rtt_stamp_ns + FF_BBR_PICOQUIC_JITTER_NS) {
        return; /* [bbr.picoquic.jitter.spaced] */
    }
    own->rtts_ns[own->rtt_count % FF_BBR_PICOQUIC_JITTER_RTTS] = rtt_ns; /* [bbr.picoquic.jitter] */
    own->rtt_count++;
    own->rtt_stamp_ns = now_ns;
    own->shortest_ns = own->longest_ns = rtt_ns;
    for (size_t i = 0; i < ff_min(own->rtt_count, FF_BBR_PICOQUIC_JITTER_RTTS); i++) {
        own->shortest_ns = ff_min(own->shortest_ns, own->rtts_ns[i]);
        own->longest_ns = ff_max(own->longest_ns, own->rtts_ns[i]);
    }
}

/* Return whether the smallest RTT is so old that ProbeRTT would look for it. */
static bool is_due(const struct ff_bbr *state, uint64_t now_ns)
{
    uint64_t old_ns = FF_BBR_PICOQUIC_PROBE_RTT_NS;

    if (state->min_rtt_ns > FF_BBR_PICOQUIC_LONG_RTT_NS) {
        old_ns = ff_bbr_over(state->min_rtt_ns, FF_BBR_PICOQUIC_LONG_RTTS, 1); /* [bbr.picoquic.min-rtt.long] */
    }
    return now_ns > state->probe_rtt_min_stamp_ns + old_ns;
}

static uint64_t margin_ns(const struct ff_bbr *state, const struct ff_newreno *base)
{
    uint64_t share_ns = ff_bbr_whole_ns(state->min_rtt_ns / FF_BBR_PICOQUIC_MARGIN_PART); /* [bbr.picoquic.min-rtt.margin] */
    uint64_t rate = state->max_bw.delivered_bytes;

    if (rate > 0) {
        share_ns += 2 * base->max_datagram_size_bytes * SECOND_US / rate * FF_BBR_MICROSECOND_NS;
    }
    return share_ns;
}

static void count_excess(struct ff_bbr_picoquic *own, uint64_t min_rtt_ns)
{
    if (min_rtt_ns <= FF_BBR_PICOQUIC_SHORT_RTT_NS || own->shortest_ns <= min_rtt_ns) {
        own->rtt_excess = 0; /* [bbr.picoquic.excess.over] */
    } else if (own->shortest_ns > min_rtt_ns + FF_BBR_PICOQUIC_SHORT_RTT_NS + ff_bbr_whole_ns(min_rtt_ns / 4)) {
        own->rtt_excess++; /* [bbr.picoquic.excess] */
    }
}

void ff_bbr_picoquic_update_min_rtt(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns, uint64_t rtt_ns)
{
    struct ff_bbr_picoquic *own = &state->picoquic;
    uint64_t now_ns = ff_bbr_whole_ns(t_ns);

    take_rtt(own, now_ns, rtt_ns);
    if (own->rtt_count == 0) {
        return; /* [bbr.picoquic.jitter.first] */
    }
    bool few = own->rtt_count < FF_BBR_PICOQUIC_JITTER_RTTS;
    if (few || own->longest_ns < state->probe_rtt_min_delay_ns || is_due(state, now_ns)) {
        state->probe_rtt_min_delay_ns = own->longest_ns; /* [bbr.picoquic.min-rtt.delay] */
        state->probe_rtt_min_stamp_ns = now_ns;
    } else if (own->shortest_ns < state->min_rtt_ns + margin_ns(state, base)) {
        state->probe_rtt_min_stamp_ns = state->min_rtt_stamp_ns = now_ns; /* [bbr.picoquic.min-rtt.near] */
    }
    bool is_old = now_ns > state->min_rtt_stamp_ns + FF_BBR_PICOQUIC_MIN_RTT_NS;
    if (few || state->probe_rtt_min_delay_ns < state->min_rtt_ns || is_old) {
        state->min_rtt_ns = state->probe_rtt_min_delay_ns; /* [bbr.picoquic.min-rtt] */
        state->min_rtt_stamp_ns = state->probe_rtt_min_stamp_ns;
    }
    count_excess(own, state->min_rtt_ns);
}
