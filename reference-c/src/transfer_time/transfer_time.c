/*
 * Transfer-time models of startup schemes.
 *
 * Widths. r < 2^40, tau < 2^37, s <= 2^48, packets and w < 2^16, so that a full packet times 8 * 10^9, `packet`, is below 2^49
 * and the rate of the link, `link`, below 2^56. A round is added only while the factor of growth before it is below
 * 1 + r tau / packet or link per_ns / (initial packet), hence below 2^44: with b <= 8 there are at most
 * 1 + 44 / log2(9 / 8) < 260 rounds. So the numerator of the factor, (b + 1)^k, stays below 2^825 and its denominator below
 * 2^778, and the largest product, of the numerator, `initial` < 2^56 and `packet` or psi tau, below 2^931.
 */
#include "firstflight/transfer_time/transfer_time.h"

#include <stdbool.h>

#include "firstflight/transfer_time/growth.h"

/* The denominator of a transfer time: two factors, and a third to the power of the rounds. */
struct divisors {
    uint64_t first;
    uint64_t second;
    uint64_t base;
};

/* The initial rate is initial / per_ns bytes per ns. */
struct pace {
    uint64_t initial;
    uint64_t per_ns;
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Take out of `divisor` what it has in common with the numerator, and put the rest into the denominator. */
static void reduce(struct ff_transfer_time *answer, uint64_t divisor)
{
    uint64_t common = common_divisor(divisor, ff_wide_remainder(&answer->gamma_numerator, divisor));

    ff_wide_divide(&answer->gamma_numerator, common);
    ff_wide_multiply(&answer->gamma_denominator, divisor / common);
}

/* Round down: one floor after another gives the floor of the whole. */
static struct ff_wide quotient(const struct ff_wide *numerator, const struct divisors *divisors, uint64_t rounds)
{
    struct ff_wide result = *numerator;

    ff_wide_divide(&result, divisors->first);
    ff_wide_divide(&result, divisors->second);
    for (uint64_t i = 0; i < rounds && divisors->base > 1; i++) {
        ff_wide_divide(&result, divisors->base);
    }
    return result;
}

static enum ff_status answer_with(const struct ff_transfer_time_inputs *inputs, uint64_t psi,
                                  const struct ff_wide *numerator, const struct divisors *divisors,
                                  struct ff_transfer_time *answer)
{
    struct ff_wide gamma = quotient(numerator, divisors, psi); /* [transfer-time.floor] */

    if (gamma.count > 1 || gamma.limbs[0] > FF_TIME_MAX_NS - inputs->rtt_ns) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.result] */
    }
    answer->psi = psi;
    answer->gamma_ns = gamma.limbs[0];
    answer->response_time_ns = answer->gamma_ns + inputs->rtt_ns; /* [transfer-time.response-time] */
    answer->gamma_numerator = *numerator;
    ff_wide_set(&answer->gamma_denominator, 1);
    reduce(answer, divisors->first);
    reduce(answer, divisors->second);
    for (uint64_t i = 0; i < psi && divisors->base > 1; i++) {
        reduce(answer, divisors->base);
    }
    return FF_OK;
}

static uint64_t packet_of(const struct ff_transfer_time_inputs *inputs)
{
    return FF_TRANSFER_TIME_BIT_NS_PER_BYTE_S * inputs->mtu_bytes;
}

/* Whether the link idles after the next round: its segments take less than the RTT and one packet. */
static bool round_idles(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth)
{
    uint64_t packet = packet_of(inputs);
    struct ff_wide segments = ff_wide_scaled(&growth->numerator, inputs->initial_window_segments, packet, 1);
    struct ff_wide limit = ff_wide_scaled(&growth->denominator, inputs->rate_bps, inputs->rtt_ns, 1);
    struct ff_wide one = ff_wide_scaled(&growth->denominator, packet, 1, 1);

    ff_wide_add(&limit, &one);
    return ff_wide_compare(&segments, &limit) < 0; /* [transfer-time.slow-start.idle] */
}

/* Whether the response ends within the next round. */
static bool round_ends(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth, uint64_t segments)
{
    struct ff_wide sent;
    struct ff_wide wanted = ff_wide_scaled(&growth->denominator, segments, 1, 1);

    ff_growth_next_sum(growth, &sent);
    ff_wide_multiply(&sent, inputs->initial_window_segments);
    return ff_wide_compare(&sent, &wanted) >= 0; /* [transfer-time.slow-start.end] */
}

static enum ff_status slow_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer)
{
    uint64_t mss = inputs->mss_bytes;
    uint64_t packet = packet_of(inputs);
    uint64_t segments = inputs->size_bytes / mss + (inputs->size_bytes % mss != 0); /* [transfer-time.slow-start.segments] */
    struct ff_growth growth;

    ff_growth_begin(&growth, inputs->segments_per_ack);
    while (!round_ends(inputs, &growth, segments) && round_idles(inputs, &growth)) {
        ff_growth_next(&growth);
    }
    /* Q (psi tau r L + packet (s + L psi)) - packet L w b (P - Q), which is no less than 0: it is s/R and all stalls. */
    uint64_t psi = growth.rounds;
    struct ff_wide numerator = ff_wide_scaled(&growth.denominator, psi * inputs->rtt_ns, inputs->rate_bps, mss);
    struct ff_wide bytes = ff_wide_scaled(&growth.denominator, packet, inputs->size_bytes + mss * psi, 1);
    struct ff_wide sum;

    ff_growth_sum(&growth, &sum);
    struct ff_wide sent = ff_wide_scaled(&sum, packet, mss, inputs->initial_window_segments);

    ff_wide_add(&numerator, &bytes);
    ff_wide_subtract(&numerator, &sent);
    struct divisors divisors = {inputs->rate_bps, mss, inputs->segments_per_ack}; /* [transfer-time.slow-start.gamma] */
    return answer_with(inputs, psi, &numerator, &divisors, answer);
}

static enum ff_status initial_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer)
{
    return slow_start(inputs, answer); /* [transfer-time.initial-start] */
}

/* Whether the next round is slower than the link. */
static bool round_below(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth, struct pace pace)
{
    struct ff_wide rate = ff_wide_scaled(&growth->numerator, pace.initial, packet_of(inputs), 1);
    struct ff_wide link = ff_wide_scaled(&growth->denominator, inputs->mss_bytes, inputs->rate_bps, pace.per_ns);

    return ff_wide_compare(&rate, &link) < 0; /* [transfer-time.paced.rate] */
}

/* Whether the response ends within the next round. */
static bool paced_ends(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth, struct pace pace)
{
    struct ff_wide sum;

    ff_growth_next_sum(growth, &sum);
    struct ff_wide sent = ff_wide_scaled(&sum, pace.initial, inputs->rtt_ns, 1);
    struct ff_wide wanted = ff_wide_scaled(&growth->denominator, inputs->size_bytes, pace.per_ns, 1);

    return ff_wide_compare(&sent, &wanted) >= 0; /* [transfer-time.paced.end] */
}

/* The rest goes at the rate that was reached, which is below that of the link. */
static enum ff_status finish_below(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth,
                                   struct pace pace, struct ff_transfer_time *answer)
{
    uint64_t psi = growth->rounds;
    struct ff_wide numerator = ff_wide_scaled(&growth->numerator, psi * inputs->rtt_ns, pace.initial, 1);
    struct ff_wide bytes = ff_wide_scaled(&growth->denominator, inputs->size_bytes, pace.per_ns, 1);
    struct ff_wide sum;

    ff_growth_sum(growth, &sum);
    struct ff_wide sent = ff_wide_scaled(&sum, pace.initial, inputs->rtt_ns, 1);

    ff_wide_add(&numerator, &bytes);
    ff_wide_subtract(&numerator, &sent);
    struct divisors divisors = {pace.initial, 1, growth->segments_per_ack + 1}; /* [transfer-time.paced.below] */
    return answer_with(inputs, psi, &numerator, &divisors, answer);
}

/* The rest goes at the rate of the link. */
static enum ff_status finish_at_link(const struct ff_transfer_time_inputs *inputs, const struct ff_growth *growth,
                                     struct pace pace, struct ff_transfer_time *answer)
{
    uint64_t psi = growth->rounds;
    uint64_t packet = packet_of(inputs);
    uint64_t link = inputs->mss_bytes * inputs->rate_bps;
    struct ff_wide numerator = ff_wide_scaled(&growth->denominator, psi * inputs->rtt_ns, link, pace.per_ns);
    struct ff_wide bytes = ff_wide_scaled(&growth->denominator, packet, inputs->size_bytes, pace.per_ns);
    struct ff_wide sum;

    ff_growth_sum(growth, &sum);
    struct ff_wide sent = ff_wide_scaled(&sum, pace.initial, inputs->rtt_ns, packet);

    ff_wide_add(&numerator, &bytes);
    ff_wide_subtract(&numerator, &sent);
    struct divisors divisors = {link, pace.per_ns, growth->segments_per_ack}; /* [transfer-time.paced.link] */
    return answer_with(inputs, psi, &numerator, &divisors, answer);
}

/* Equations 3 and 4. pace.per_ns 0 stands for no limit. */
static enum ff_status paced(const struct ff_transfer_time_inputs *inputs, struct pace pace, struct ff_transfer_time *answer)
{
    struct ff_growth growth;
    struct divisors divisors = {1, 1, 1};
    struct ff_wide numerator;

    ff_growth_begin(&growth, inputs->segments_per_ack);
    ff_wide_set(&numerator, inputs->size_bytes);
    if (inputs->size_bytes == 0) {
        return answer_with(inputs, 0, &numerator, &divisors, answer); /* [transfer-time.paced.nothing] */
    }
    if (!round_below(inputs, &growth, pace)) {
        divisors.first = inputs->mss_bytes * inputs->rate_bps;
        ff_wide_multiply(&numerator, packet_of(inputs));
        return answer_with(inputs, 0, &numerator, &divisors, answer); /* [transfer-time.paced.at-once] */
    }
    while (round_below(inputs, &growth, pace) && !paced_ends(inputs, &growth, pace)) {
        ff_growth_next(&growth);
    }
    return round_below(inputs, &growth, pace) ? finish_below(inputs, &growth, pace, answer)
                                              : finish_at_link(inputs, &growth, pace, answer);
}

static enum ff_status more_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer)
{
    struct pace pace = {inputs->mss_bytes * inputs->approved_rate_bps, packet_of(inputs)}; /* [transfer-time.more-start] */

    return paced(inputs, pace, answer);
}

static enum ff_status quick_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer)
{
    uint64_t code;
    uint64_t rate_bps;

    if (ff_quick_start_code(inputs->approved_rate_bps, &code, &rate_bps) != FF_OK || rate_bps != inputs->approved_rate_bps) {
        return FF_ERR_DOMAIN; /* [transfer-time.quick-start.valid] */
    }
    return more_start(inputs, answer); /* [transfer-time.quick-start] */
}

static enum ff_status jump_start(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer)
{
    struct pace pace = {inputs->size_bytes, inputs->rtt_ns}; /* [transfer-time.jump-start] */

    if (pace.initial > inputs->threshold_bytes) {
        pace.initial = inputs->threshold_bytes;
    }
    return paced(inputs, pace, answer);
}

/* Which inputs a scheme needs besides those of the path. */
enum need { NEED_INITIAL_WINDOW, NEED_APPROVED_RATE, NEED_THRESHOLD };

struct scheme {
    const char *name;
    enum ff_status (*compute)(const struct ff_transfer_time_inputs *inputs, struct ff_transfer_time *answer);
    enum need need;
};

static const struct scheme schemes[] = {
    {"slow-start", slow_start, NEED_INITIAL_WINDOW}, {"quick-start", quick_start, NEED_APPROVED_RATE},
    {"jump-start", jump_start, NEED_THRESHOLD},      {"more-start", more_start, NEED_APPROVED_RATE},
    {"initial-start", initial_start, NEED_INITIAL_WINDOW},
};

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return low <= value && value <= high;
}

static bool need_within(enum need need, const struct ff_transfer_time_inputs *inputs)
{
    switch (need) {
    case NEED_INITIAL_WINDOW:
        return within(inputs->initial_window_segments, 1, FF_TRANSFER_TIME_INITIAL_WINDOW_MAX_SEGMENTS);
    case NEED_APPROVED_RATE:
        return within(inputs->approved_rate_bps, 1, FF_TRANSFER_TIME_RATE_MAX_BPS);
    case NEED_THRESHOLD:
        return within(inputs->threshold_bytes, 1, FF_TRANSFER_TIME_SIZE_MAX_BYTES);
    }
    return false;
}

static enum ff_status check(const struct scheme *scheme, const struct ff_transfer_time_inputs *inputs)
{
    if (!within(inputs->rate_bps, 1, FF_TRANSFER_TIME_RATE_MAX_BPS) || inputs->rtt_ns > FF_TRANSFER_TIME_RTT_MAX_NS ||
        inputs->size_bytes > FF_TRANSFER_TIME_SIZE_MAX_BYTES ||
        !within(inputs->mtu_bytes, 1, FF_TRANSFER_TIME_PACKET_MAX_BYTES) ||
        !within(inputs->mss_bytes, 1, FF_TRANSFER_TIME_PACKET_MAX_BYTES) ||
        !within(inputs->segments_per_ack, 1, FF_TRANSFER_TIME_SEGMENTS_PER_ACK_MAX) ||
        !need_within(scheme->need, inputs)) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.range] */
    }
    if (inputs->mss_bytes > inputs->mtu_bytes) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.packet] */
    }
    return FF_OK;
}

static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

enum ff_status ff_transfer_time_compute(const char *scheme, const struct ff_transfer_time_inputs *inputs,
                                        struct ff_transfer_time *answer)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (same_text(scheme, schemes[i].name)) {
            enum ff_status status = check(&schemes[i], inputs);
            return status == FF_OK ? schemes[i].compute(inputs, answer) : status;
        }
    }
    return FF_ERR_UNKNOWN_PROFILE;
}
