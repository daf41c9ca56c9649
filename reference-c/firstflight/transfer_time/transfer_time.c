/*
 * Transfer-time models of startup schemes. Mirrors reference-py/src/firstflight/transfer_time/transfer_time.py.
 *
 * Widths. r < 2^40, tau < 2^37, s <= 2^48, packets and w < 2^16. So a full packet times 8 * 10^9, `packet`, is below
 * 2^49, and the rate of the link, `link`, is below 2^56. A round is added only while the previous factor of growth is
 * below 1 + r tau / packet or link per_ns / (initial packet), hence below 2^44. With b <= 8 there are at most
 * 1 + 44 / log2(9 / 8) < 260 rounds. So the numerator of the factor, (b + 1)^k, stays below 2^825 and its denominator
 * below 2^778. The largest product, of the numerator, `initial` < 2^56 and `packet` or psi tau, stays below 2^931.
 */
#include "firstflight/transfer_time/transfer_time.h"

#include <stdbool.h>
#include <stddef.h>

#include "firstflight/minmax.h"
#include "firstflight/text.h"
#include "firstflight/transfer_time/growth.h"

/* The initial rate is initial / per_ns bytes per ns; per_ns 0 stands for no limit. */
struct pace {
    uint64_t initial;
    uint64_t per_ns;
};

/* The input that a scheme needs in addition to the inputs of the path. */
enum need { NEED_INITIAL_WINDOW, NEED_APPROVED_RATE, NEED_THRESHOLD };

static enum ff_status check_range(uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low || value > high) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.range] */
    }
    return FF_OK;
}

/* Return FF_ERR_DOMAIN if an input of the scheme is outside the domain. */
static enum ff_status check(enum need need, const struct ff_transfer_time_inputs *inputs)
{
    const struct {
        uint64_t value;
        uint64_t low;
        uint64_t high;
        bool needed;
    } ranges[] = {
        {inputs->rate_bps, 1, FF_TRANSFER_TIME_RATE_MAX_BPS, true},
        {inputs->rtt_ns, 0, FF_TRANSFER_TIME_RTT_MAX_NS, true},
        {inputs->size_bytes, 0, FF_TRANSFER_TIME_SIZE_MAX_BYTES, true},
        {inputs->mtu_bytes, 1, FF_TRANSFER_TIME_PACKET_MAX_BYTES, true},
        {inputs->mss_bytes, 1, FF_TRANSFER_TIME_PACKET_MAX_BYTES, true},
        {inputs->initial_window_segments, 1, FF_TRANSFER_TIME_INITIAL_WINDOW_MAX_SEGMENTS, need == NEED_INITIAL_WINDOW},
        {inputs->segments_per_ack, 1, FF_TRANSFER_TIME_SEGMENTS_PER_ACK_MAX, true},
        {inputs->threshold_bytes, 1, FF_TRANSFER_TIME_SIZE_MAX_BYTES, need == NEED_THRESHOLD},
        {inputs->approved_rate_bps, 1, FF_TRANSFER_TIME_RATE_MAX_BPS, need == NEED_APPROVED_RATE},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (ranges[i].needed && check_range(ranges[i].value, ranges[i].low, ranges[i].high) != FF_OK) {
            return FF_ERR_DOMAIN;
        }
    }
    if (inputs->mss_bytes > inputs->mtu_bytes) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.packet] */
    }
    return FF_OK;
}

/* Return the time of a full packet in ns times the rate in bit/s. */
static uint64_t packet(const struct ff_transfer_time_inputs *inputs)
{
    return FF_TRANSFER_TIME_BIT_NS_PER_BYTE_S * inputs->mtu_bytes;
}

static enum ff_status answer(const struct ff_transfer_time_inputs *inputs, uint64_t psi, const struct ff_fraction *gamma,
                             struct ff_transfer_time *time)
{
    uint64_t gamma_ns = gamma->whole.limbs[0]; /* [transfer-time.floor] */

    if (gamma->whole.count > 1 || gamma_ns > FF_TIME_MAX_NS - inputs->rtt_ns) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.result] */
    }
    time->psi = psi;
    time->gamma = *gamma;
    time->gamma_ns = gamma_ns;
    time->response_time_ns = gamma_ns + inputs->rtt_ns; /* [transfer-time.response-time] */
    return FF_OK;
}

/* Return whether the link idles after the next round: its segments take less than the RTT and one packet. */
static bool window_idles(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth)
{
    struct ff_wide segments = ff_wide_scaled(&growth->numerator, inputs->initial_window_segments, packet(inputs), 1);
    struct ff_wide limit = ff_wide_scaled(&growth->denominator, inputs->rate_bps, inputs->rtt_ns, 1);
    struct ff_wide one = ff_wide_scaled(&growth->denominator, packet(inputs), 1, 1);

    ff_wide_add(&limit, &one);
    return ff_wide_compare(&segments, &limit) < 0; /* [transfer-time.slow-start.idle] */
}

/* Return whether the response ends within the next round. */
static bool window_ends(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth,
                        uint64_t segments)
{
    struct ff_wide sent = ff_transfer_time_sum_to_next(growth);
    struct ff_wide wanted = ff_wide_scaled(&growth->denominator, segments, 1, 1);

    ff_wide_multiply(&sent, inputs->initial_window_segments);
    return ff_wide_compare(&sent, &wanted) >= 0; /* [transfer-time.slow-start.end] */
}

static enum ff_status slow_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time)
{
    uint64_t mss = inputs->mss_bytes;
    uint64_t segments = inputs->size_bytes / mss + (inputs->size_bytes % mss != 0); /* [transfer-time.slow-start.segments] */
    struct ff_transfer_time_growth growth;
    struct ff_fraction gamma;

    ff_transfer_time_begin_growth(&growth, inputs->segments_per_ack);
    while (!window_ends(inputs, &growth, segments) && window_idles(inputs, &growth)) {
        ff_transfer_time_next_round(&growth);
    }
    uint64_t psi = growth.rounds;
    struct ff_wide waited = ff_wide_scaled(&growth.denominator, psi * inputs->rtt_ns, inputs->rate_bps, mss);
    struct ff_wide packets = ff_wide_scaled(&growth.denominator, packet(inputs), inputs->size_bytes + mss * psi, 1);
    struct ff_wide sum = ff_transfer_time_sum_so_far(&growth);
    struct ff_wide sent = ff_wide_scaled(&sum, packet(inputs), mss, inputs->initial_window_segments);
    struct ff_wide numerator = waited;

    ff_wide_add(&numerator, &packets);
    ff_wide_subtract(&numerator, &sent); /* no less than 0: it is s/R and all stalls */
    ff_fraction_set(&gamma, &numerator); /* [transfer-time.slow-start.gamma] */
    ff_fraction_divide(&gamma, inputs->rate_bps, 1);
    ff_fraction_divide(&gamma, mss, 1);
    ff_fraction_divide(&gamma, growth.segments_per_ack, psi);
    return answer(inputs, psi, &gamma, time);
}

static enum ff_status initial_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time)
{
    return slow_start(inputs, time); /* [transfer-time.initial-start] */
}

/* Return whether the next round is slower than the link. */
static bool rate_below_link(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth,
                            struct pace pace)
{
    struct ff_wide rate = ff_wide_scaled(&growth->numerator, pace.initial, packet(inputs), 1);
    struct ff_wide limit = ff_wide_scaled(&growth->denominator, inputs->mss_bytes, inputs->rate_bps, pace.per_ns);

    return ff_wide_compare(&rate, &limit) < 0; /* [transfer-time.paced.rate] */
}

/* Return whether the response ends within the next round. */
static bool rate_ends(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth,
                      struct pace pace)
{
    struct ff_wide sum = ff_transfer_time_sum_to_next(growth);
    struct ff_wide sent = ff_wide_scaled(&sum, pace.initial, inputs->rtt_ns, 1);
    struct ff_wide wanted = ff_wide_scaled(&growth->denominator, inputs->size_bytes, pace.per_ns, 1);

    return ff_wide_compare(&sent, &wanted) >= 0; /* [transfer-time.paced.end] */
}

/* Write the time if the rest is sent at the rate reached, which is below the rate of the link. */
static void finish_below_link(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth,
                              struct pace pace, struct ff_fraction *gamma)
{
    struct ff_wide waited = ff_wide_scaled(&growth->numerator, growth->rounds * inputs->rtt_ns, pace.initial, 1);
    struct ff_wide whole = ff_wide_scaled(&growth->denominator, inputs->size_bytes, pace.per_ns, 1);
    struct ff_wide sum = ff_transfer_time_sum_so_far(growth);
    struct ff_wide sent = ff_wide_scaled(&sum, pace.initial, inputs->rtt_ns, 1);
    struct ff_wide numerator = waited;

    ff_wide_add(&numerator, &whole);
    ff_wide_subtract(&numerator, &sent);
    ff_fraction_set(gamma, &numerator); /* [transfer-time.paced.below] */
    ff_fraction_divide(gamma, pace.initial, 1);
    ff_fraction_divide(gamma, growth->segments_per_ack + 1, growth->rounds);
}

/* Write the time if the rest is sent at the rate of the link. */
static void finish_at_link(const struct ff_transfer_time_inputs *inputs, const struct ff_transfer_time_growth *growth,
                           struct pace pace, struct ff_fraction *gamma)
{
    uint64_t link = inputs->mss_bytes * inputs->rate_bps;
    struct ff_wide waited = ff_wide_scaled(&growth->denominator, growth->rounds * inputs->rtt_ns, link, pace.per_ns);
    struct ff_wide whole = ff_wide_scaled(&growth->denominator, packet(inputs), inputs->size_bytes, pace.per_ns);
    struct ff_wide sum = ff_transfer_time_sum_so_far(growth);
    struct ff_wide sent = ff_wide_scaled(&sum, packet(inputs), pace.initial, inputs->rtt_ns);
    struct ff_wide numerator = waited;

    ff_wide_add(&numerator, &whole);
    ff_wide_subtract(&numerator, &sent);
    ff_fraction_set(gamma, &numerator); /* [transfer-time.paced.link] */
    ff_fraction_divide(gamma, link, 1);
    ff_fraction_divide(gamma, pace.per_ns, 1);
    ff_fraction_divide(gamma, growth->segments_per_ack, growth->rounds);
}

/* Equations 3 and 4. */
static enum ff_status paced(const struct ff_transfer_time_inputs *inputs, struct pace pace, struct ff_transfer_time *time)
{
    struct ff_transfer_time_growth growth;
    struct ff_fraction gamma;
    struct ff_wide whole;

    ff_transfer_time_begin_growth(&growth, inputs->segments_per_ack);
    ff_wide_set(&whole, inputs->size_bytes);
    if (inputs->size_bytes == 0) {
        ff_fraction_set(&gamma, &whole);
        return answer(inputs, 0, &gamma, time); /* [transfer-time.paced.nothing] */
    }
    if (!rate_below_link(inputs, &growth, pace)) {
        ff_wide_multiply(&whole, packet(inputs));
        ff_fraction_set(&gamma, &whole);
        ff_fraction_divide(&gamma, inputs->mss_bytes * inputs->rate_bps, 1);
        return answer(inputs, 0, &gamma, time); /* [transfer-time.paced.at-once] */
    }
    while (rate_below_link(inputs, &growth, pace) && !rate_ends(inputs, &growth, pace)) {
        ff_transfer_time_next_round(&growth);
    }
    if (rate_below_link(inputs, &growth, pace)) {
        finish_below_link(inputs, &growth, pace, &gamma);
    } else {
        finish_at_link(inputs, &growth, pace, &gamma);
    }
    return answer(inputs, growth.rounds, &gamma, time);
}

static enum ff_status more_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time)
{
    uint64_t initial = inputs->mss_bytes * inputs->approved_rate_bps; /* [transfer-time.more-start] */

    return paced(inputs, (struct pace){initial, packet(inputs)}, time);
}

enum ff_status ff_quick_start_code(uint64_t requested_rate_bps, uint64_t *code, uint64_t *approved_rate_bps)
{
    uint64_t rate_bps = FF_QUICK_START_UNIT_BPS;
    uint64_t found = 0;

    if (check_range(requested_rate_bps, 0, FF_TRANSFER_TIME_RATE_MAX_BPS) != FF_OK) {
        return FF_ERR_DOMAIN;
    }
    while (found < FF_QUICK_START_CODE_MAX && 2 * rate_bps <= requested_rate_bps) {
        found++; /* [transfer-time.quick-start.code] */
        rate_bps *= 2;
    }
    *code = found;
    *approved_rate_bps = found > 0 ? rate_bps : 0;
    return FF_OK;
}

static enum ff_status quick_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time)
{
    uint64_t code;
    uint64_t rate_bps;

    if (ff_quick_start_code(inputs->approved_rate_bps, &code, &rate_bps) != FF_OK || rate_bps != inputs->approved_rate_bps) {
        return FF_ERR_DOMAIN; /* [transfer-time.quick-start.valid] */
    }
    return more_start(inputs, time); /* [transfer-time.quick-start] */
}

static enum ff_status jump_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time)
{
    uint64_t flight_bytes = ff_min(inputs->size_bytes, inputs->threshold_bytes); /* [transfer-time.jump-start] */

    return paced(inputs, (struct pace){flight_bytes, inputs->rtt_ns}, time);
}

static const struct {
    const char *name;
    enum ff_status (*compute)(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *time);
    enum need need;
} schemes[] = {
    {"slow-start", slow_start, NEED_INITIAL_WINDOW}, {"quick-start", quick_start, NEED_APPROVED_RATE},
    {"jump-start", jump_start, NEED_THRESHOLD},      {"more-start", more_start, NEED_APPROVED_RATE},
    {"initial-start", initial_start, NEED_INITIAL_WINDOW},
};

enum ff_status ff_transfer_time_compute(const char *scheme, const struct ff_transfer_time_inputs *inputs,
                                        struct ff_transfer_time *time)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (ff_same_text(scheme, schemes[i].name)) {
            enum ff_status status = check(schemes[i].need, inputs);
            return status == FF_OK ? schemes[i].compute(inputs, time) : status;
        }
    }
    return FF_ERR_UNKNOWN_PROFILE;
}
