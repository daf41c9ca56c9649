/* The sample of an ACK. Mirrors reference-py/src/firstflight/bbr/sample.py. */
#include "firstflight/bbr/sample.h"

#include "firstflight/bbr/packets.h"

uint64_t ff_bbr_clocked_ns(const struct ff_bbr_readings *readings, uint64_t time_ns)
{
    if (readings->units == FF_BBR_UNITS_PACKETS) {
        return ff_bbr_whole_ns(time_ns); /* [bbr.units.time] */
    }
    return time_ns;
}

/* Return whether a sample counts for anything, and write its rate. */
static bool delivery_rate(const struct ff_bbr_readings *readings, const struct ff_newreno *base,
                          const struct ff_ack *ack, uint64_t interval_ns, struct ff_bbr_rate *rate)
{
    bool is_short = ack->min_rtt_ns != FF_NO_RTT_NS && interval_ns < ff_bbr_clocked_ns(readings, ack->min_rtt_ns);

    *rate = ff_bbr_rate_zero;
    if (readings->short_sample == FF_BBR_SHORT_SAMPLE_NOTHING && (is_short || interval_ns == 0)) {
        return false; /* [bbr.sample.short.nothing] */
    }
    if (is_short) {
        return true; /* [bbr.sample.short] */
    }
    if (interval_ns == 0) {
        return true; /* [bbr.sample.no-time] */
    }
    if (readings->units == FF_BBR_UNITS_PACKETS) {
        *rate = ff_bbr_packets_rate_of(ack->rate_delivered_bytes, interval_ns, base->max_datagram_size_bytes); /* [bbr.units.rate] */
        return true;
    }
    *rate = (struct ff_bbr_rate){ack->rate_delivered_bytes, interval_ns}; /* [bbr.sample.rate] */
    return true;
}

struct ff_bbr_sample ff_bbr_generate_rate_sample(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                                 const struct ff_newreno *base, const struct ff_ack *ack)
{
    struct ff_bbr_rate rate = ff_bbr_rate_zero;
    bool counts = false;
    struct ff_bbr_sample sample = {ff_bbr_rate_zero, 0, FF_BBR_INFINITE, 0, 0, false};

    state->in_flight_bytes = ff_bbr_saturate(ack->bytes_in_flight);
    if (ack->rate_delivered_bytes == UINT64_MAX) {
        state->delivered_bytes = ff_bbr_saturate(state->delivered_bytes + ack->bytes); /* [bbr.sample.none] */
    } else {
        state->delivered_bytes =
            ff_bbr_saturate(ack->rate_prior_delivered_bytes + ack->rate_delivered_bytes); /* [bbr.sample.delivered] */
        counts = delivery_rate(readings, base, ack, ff_bbr_clocked_ns(readings, ack->rate_interval_ns), &rate);
    }
    if (counts) {
        sample.rate = rate;
        sample.delivered_bytes = ack->rate_delivered_bytes;
        sample.prior_delivered_bytes = ack->rate_prior_delivered_bytes;
        sample.app_limited = ack->rate_app_limited;
        sample.in_flight_bytes = ack->rate_in_flight_bytes;
        sample.lost_bytes = ack->rate_lost_bytes;
    }
    if (state->delivered_bytes > state->app_limited_bytes) {
        state->app_limited_bytes = 0; /* [bbr.idle.cleared] */
    }
    return sample;
}
