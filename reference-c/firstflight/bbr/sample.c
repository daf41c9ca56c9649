/* The sample of an ACK. Mirrors reference-py/src/firstflight/bbr/sample.py. */
#include "firstflight/bbr/sample.h"

#include "firstflight/bbr/packets.h"
#include "firstflight/minmax.h"

uint64_t ff_bbr_clocked_ns(const struct ff_bbr_readings *readings, uint64_t time_ns)
{
    if (ff_bbr_in_packets(readings)) {
        return ff_bbr_whole_ns(time_ns); /* [bbr.units.time] */
    }
    return time_ns;
}

/* Return false if a sample is ignored; otherwise store its rate. */
static bool delivery_rate(const struct ff_bbr_readings *readings, const struct ff_base_state *base,
                          const struct ff_ack *ack, uint64_t delivered_bytes, uint64_t interval_ns,
                          struct ff_bbr_rate *rate)
{
    bool has_min_rtt = ack->min_rtt_ns != FF_NO_RTT_NS;
    bool is_short = has_min_rtt && interval_ns < ff_bbr_clocked_ns(readings, ack->min_rtt_ns);

    *rate = ff_bbr_rate_zero;
    if (readings->short_sample == FF_BBR_SHORT_SAMPLE_NOTHING && (is_short || !has_min_rtt || interval_ns == 0)) {
        return false; /* [bbr.sample.short.nothing] */
    }
    if (is_short) {
        return true; /* [bbr.sample.short] */
    }
    if (interval_ns == 0) {
        return true; /* [bbr.sample.no-time] */
    }
    if (readings->units == FF_BBR_UNITS_PACKETS) {
        *rate = ff_bbr_packets_rate_of(delivered_bytes, interval_ns, base->max_datagram_size_bytes); /* [bbr.units.rate] */
        return true;
    }
    if (readings->units == FF_BBR_UNITS_PACKETS_V3) {
        *rate = ff_bbr_packets_rate_up(delivered_bytes, interval_ns, base->max_datagram_size_bytes); /* [bbr.units.v3.rate] */
        return true;
    }
    *rate = (struct ff_bbr_rate){delivered_bytes, interval_ns}; /* [bbr.sample.rate] */
    return true;
}

void ff_bbr_limit_sent(struct ff_bbr *state, const struct ff_sent *sent)
{
    if (sent->app_limited) {
        state->app_limited_bytes = ff_max(state->delivered_bytes + state->in_flight_bytes, 1); /* [bbr.idle.limited] */
    }
}

static void clear_limited(struct ff_bbr *state)
{
    if (state->delivered_bytes > state->app_limited_bytes) {
        state->app_limited_bytes = 0; /* [bbr.idle.cleared] */
    }
}

struct ff_bbr_sample ff_bbr_generate_rate_sample(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                                 const struct ff_base_state *base, const struct ff_ack *ack)
{
    struct ff_bbr_sample none = {ff_bbr_rate_zero, 0, FF_BBR_INFINITE, 0, 0, false};
    uint64_t delivered_bytes = ack->rate_delivered_bytes, prior_bytes = ack->rate_prior_delivered_bytes;

    state->in_flight_bytes = ff_bbr_saturate(ack->bytes_in_flight);
    if (delivered_bytes == UINT64_MAX) {
        state->delivered_bytes = ff_bbr_saturate(state->delivered_bytes + ack->bytes); /* [bbr.sample.none] */
        clear_limited(state);
        return none;
    }
    state->delivered_bytes = ff_bbr_saturate(prior_bytes + delivered_bytes); /* [bbr.sample.delivered] */
    clear_limited(state);
    struct ff_bbr_sample sample = {ff_bbr_rate_zero, 0, FF_BBR_INFINITE, ack->rate_in_flight_bytes, ack->rate_lost_bytes,
                                   ack->rate_app_limited};
    uint64_t interval_ns = ff_bbr_clocked_ns(readings, ack->rate_interval_ns);
    if (delivery_rate(readings, base, ack, delivered_bytes, interval_ns, &sample.rate)) {
        sample.delivered_bytes = delivered_bytes;
        sample.prior_delivered_bytes = prior_bytes;
    }
    return sample;
}
