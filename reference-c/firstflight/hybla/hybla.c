/* The window rules of Hybla. Mirrors reference-py/src/firstflight/hybla/hybla.py. */
#include "firstflight/hybla/hybla.h"

#include <stdbool.h>
#include <stddef.h>

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

#define ONE FF_HYBLA_ONE
#define MS_NS UINT64_C(1000000)

/* 2^(k/8) in 128ths, from Linux. */
static const uint8_t eighths[8] = {128, 139, 152, 165, 181, 197, 215, 234};

/* 2^(1/2), 2^(1/4) ... in 2^30ths, to the nearest. */
static const uint32_t roots[FF_HYBLA_FINE_BITS] = {
    UINT32_C(1518500250), UINT32_C(1276901417), UINT32_C(1170923762), UINT32_C(1121280436),
    UINT32_C(1097253708), UINT32_C(1085434106), UINT32_C(1079572136), UINT32_C(1076653033),
    UINT32_C(1075196443), UINT32_C(1074468888), UINT32_C(1074105294), UINT32_C(1073923544),
    UINT32_C(1073832680), UINT32_C(1073787251), UINT32_C(1073764537), UINT32_C(1073753181),
    UINT32_C(1073747502), UINT32_C(1073744663), UINT32_C(1073743244), UINT32_C(1073742534),
    UINT32_C(1073742179), UINT32_C(1073742001), UINT32_C(1073741913), UINT32_C(1073741868),
    UINT32_C(1073741846), UINT32_C(1073741835), UINT32_C(1073741830), UINT32_C(1073741827),
    UINT32_C(1073741825), UINT32_C(1073741825),
};

void ff_hybla_begin(struct ff_hybla *state, const struct ff_hybla_readings *readings)
{
    state->readings = *readings; /* [hybla.begin] */
    state->smallest_ns = FF_NO_RTT_NS;
    state->credit = 0;
}

void ff_hybla_carry(struct ff_hybla *state, const struct ff_hybla_readings *readings)
{
    ff_hybla_begin(state, readings); /* [hybla.search] */
}

/* A quotient of two numbers: the first below 2^16, the second below 2^8. */
struct ratio {
    uint64_t part;
    uint64_t whole;
};

/* Return rho. */
static struct ratio ratio(const struct ff_hybla *state)
{
    if (state->smallest_ns == FF_NO_RTT_NS) {
        return (struct ratio){1, 1}; /* [hybla.rho.unknown] */
    }
    uint64_t reference_ms = state->readings.reference_ms; /* [hybla.rho] */
    uint64_t rtt_ns = ff_min(state->smallest_ns, FF_HYBLA_RHO_LIMIT * reference_ms * MS_NS - 1); /* [hybla.rho.limit] below 2^36 */
    struct ratio found = {rtt_ns / MS_NS, reference_ms}; /* [hybla.rho.fixed] */

    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        found = (struct ratio){8 * rtt_ns / (reference_ms * MS_NS), 8}; /* [hybla.rho.eighths] */
    }
    found.part = ff_max(found.part, found.whole); /* [hybla.rho.minimum] */
    return found;
}

uint64_t ff_hybla_rho(const struct ff_hybla *state)
{
    struct ratio found = ratio(state);

    return found.part * ONE / found.whole;
}

/* Return the number of units of 1. */
static uint64_t one(const struct ff_hybla *state)
{
    return state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS ? ONE : UINT64_C(1) << FF_HYBLA_FINE_BITS;
}

/* Return 2^rho in these units: below 2^33 in 65536ths, below 2^47 in 2^30ths. */
static uint64_t power(const struct ff_hybla *state)
{
    struct ratio found = ratio(state);
    uint64_t fraction = found.part % found.whole;
    uint64_t exponent = ff_min(found.part / found.whole, FF_HYBLA_EXPONENT_MAX); /* [hybla.power.limit] */

    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        return eighths[8 * fraction / found.whole] * (ONE / 128) << exponent; /* [hybla.power.eighths] */
    }
    uint64_t bits = (fraction << FF_HYBLA_FINE_BITS) / found.whole;
    uint64_t root = UINT64_C(1) << FF_HYBLA_FINE_BITS;
    for (unsigned index = 0; index < FF_HYBLA_FINE_BITS; index++) {
        if ((bits >> (FF_HYBLA_FINE_BITS - 1 - index) & 1) != 0) {
            root = root * roots[index] >> FF_HYBLA_FINE_BITS; /* [hybla.power.fixed] both below 2^31 */
        }
    }
    return root << exponent;
}

/* Remember the RTT of an ACK if it is the smallest. */
static void take_sample(struct ff_hybla *state, const struct ff_ack *ack)
{
    uint64_t rtt_ns = ack->smoothed_rtt_ns;

    if (state->readings.rtt == FF_HYBLA_RTT_MINIMUM && ack->min_rtt_ns != FF_NO_RTT_NS) {
        rtt_ns = ack->min_rtt_ns; /* [hybla.rtt.minimum] */
    }
    if (rtt_ns < state->smallest_ns) { /* FF_NO_RTT_NS is the largest number */
        state->smallest_ns = rtt_ns;   /* [hybla.rtt] */
    }
}

/* Add parts of a datagram, below 2^62, to the credit; return the bytes of its whole datagrams. */
static uint64_t gain(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, uint64_t parts)
{
    state->credit += parts; /* below 2^62 + 2^30 */
    uint64_t gained_bytes = state->credit / one(state) * datagram_bytes; /* [hybla.gain.datagrams] */
    state->credit %= one(state);
    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        uint64_t most_bytes = FF_HYBLA_DATAGRAMS_MAX * datagram_bytes;
        uint64_t room_bytes = most_bytes > cwnd_bytes ? most_bytes - cwnd_bytes : 0;
        gained_bytes = ff_min(gained_bytes, room_bytes); /* [hybla.window.maximum] */
    }
    return gained_bytes;
}

/* Return the growth in slow start for units of one size. */
static uint64_t slow_start_bytes(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, const struct ff_run *units)
{
    uint64_t count = ff_run_count(units); /* below 2^16 */
    uint64_t increase = power(state) - one(state); /* [hybla.slow-start] below 2^46: times a count or a size below 2^62 */

    if (state->readings.gain == FF_HYBLA_GAIN_DATAGRAMS) {
        return gain(state, datagram_bytes, cwnd_bytes, count * increase);
    }
    return count * (increase * units->size_bytes / one(state)); /* [hybla.gain.mixed] */
}

/* Return the growth in congestion avoidance for units of one size; met_bytes: the window before the ACK. */
static uint64_t avoidance_bytes(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, const struct ff_run *units,
                                uint64_t met_bytes)
{
    struct ratio found = ratio(state); /* its square is below 2^16 */
    uint64_t datagrams = ff_max(met_bytes / datagram_bytes, 1);
    uint64_t square = found.part * found.part; /* below 2^32 */
    uint64_t share;

    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        share = 128 * square / (found.whole * found.whole) / datagrams * (ONE / 128); /* [hybla.avoidance.datagrams] */
    } else {
        uint64_t parts = square << FF_HYBLA_FINE_BITS; /* below 2^62; divided in two steps, since the product of the
        divisors may overflow */
        uint64_t divisor = found.whole * found.whole;
        share = parts / divisor / datagrams; /* [hybla.avoidance.fixed] */
        share += parts % divisor != 0 || parts / divisor % datagrams != 0 ? 1 : 0;
    }
    return gain(state, datagram_bytes, cwnd_bytes, ff_run_count(units) * share); /* a share is at most 2^46 */
}

/* Return whether the packets of a run count: they were sent after recovery began. */
static bool counts(const struct ff_run *run, uint64_t recovery_start_ns)
{
    return recovery_start_ns == FF_NONE || run->sent_t_ns > recovery_start_ns;
}

/* Return the units that count, as runs of units of one size, and their number; `whole`: storage for an ACK that counts
 * once. */
static const struct ff_run *units(const struct ff_hybla *state, uint64_t datagram_bytes, bool slow, const struct ff_ack *ack,
                                  uint64_t recovery_start_ns, struct ff_run *whole, size_t *count)
{
    bool by_packet = state->readings.unit == FF_HYBLA_UNIT_MIXED && !slow;
    bool any = false;

    *count = ack->run_count;
    for (size_t i = 0; i < ack->run_count; i++) {
        any = any || counts(&ack->packets[i], recovery_start_ns);
    }
    if (by_packet || !any) {
        return ack->packets; /* [hybla.unit.packet] */
    }
    *whole = (struct ff_run){0, 0, datagram_bytes, UINT64_MAX}; /* [hybla.unit.ack] sent after any recovery began */
    *count = 1;
    return whole;
}

/* Grow the window by acknowledged packets, in slow start or in congestion avoidance; return the window. */
static uint64_t on_acked(struct ff_hybla *state, const struct ff_ack *ack, uint64_t datagram_bytes, const struct ff_windows *base,
                         bool slow)
{
    uint64_t cwnd_bytes = base->cwnd_bytes;
    struct ff_run whole;
    size_t count;
    const struct ff_run *runs = units(state, datagram_bytes, slow, ack, base->recovery_start_ns, &whole, &count);

    for (size_t i = 0; i < count; i++) {
        if (!counts(&runs[i], base->recovery_start_ns)) {
            continue;
        }
        uint64_t more_bytes = slow ? slow_start_bytes(state, datagram_bytes, cwnd_bytes, &runs[i])
                                   : avoidance_bytes(state, datagram_bytes, cwnd_bytes, &runs[i], base->cwnd_bytes);
        /* Saturate before the addition: in congestion avoidance the growth may be near 2^64. */
        cwnd_bytes = ff_min(cwnd_bytes + ff_min(more_bytes, FF_WINDOW_MAX_BYTES), FF_WINDOW_MAX_BYTES);
    }
    if (slow) {
        cwnd_bytes = ff_min(cwnd_bytes, base->ssthresh_bytes); /* [hybla.threshold] */
    }
    return cwnd_bytes;
}

/* Return the outcome, and write the window. */
static enum ff_outcome on_ack_outside_recovery(struct ff_hybla *state, const struct ff_ack *ack, uint64_t datagram_bytes,
                                               struct ff_windows *base, bool slow)
{
    if (ack->app_limited) {
        return FF_OUTCOME_APP_LIMITED; /* [hybla.loss] */
    }
    base->cwnd_bytes = on_acked(state, ack, datagram_bytes, base, slow);
    if (!counts(&ack->packets[ack->run_count - 1], base->recovery_start_ns)) {
        return FF_OUTCOME_IN_RECOVERY;
    }
    return slow ? FF_OUTCOME_GROWN : FF_OUTCOME_GROWN_AVOIDANCE;
}

/* Process an ACK outside of recovery. In recovery return false: NewReno's rules apply. */
static bool on_ack(void *rules_state, const struct ff_ack *ack, uint64_t datagram_bytes, struct ff_windows *base, bool slow,
                   enum ff_outcome *outcome)
{
    struct ff_hybla *state = rules_state;

    take_sample(state, ack);
    if (base->in_recovery) {
        return false;
    }
    *outcome = on_ack_outside_recovery(state, ack, datagram_bytes, base, slow); /* [hybla.scope] */
    return true;
}

static void numbers(const void *rules_state, struct ff_observation *observation)
{
    const struct ff_hybla *state = rules_state;

    observation->smallest_rtt_ns = state->smallest_ns;
    observation->rho_fixed = ff_hybla_rho(state);
    observation->credit_fixed = state->credit;
}

const struct ff_window_rules ff_hybla_rules = {.beta_tenths = 5, .on_ack = on_ack, .numbers = numbers};
