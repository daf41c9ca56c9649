/* The law of Hybla. Mirrors reference-py/src/firstflight/hybla/hybla.py. */
#include "firstflight/hybla/hybla.h"

#include <stdbool.h>
#include <stddef.h>

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

#define ONE FF_HYBLA_ONE
#define MS_NS UINT64_C(1000000)

/* 2^(k/8) in 128ths, as Linux has it. */
static const uint8_t eighths[8] = {128, 139, 152, 165, 181, 197, 215, 234};

/* 2^(1/2), 2^(1/4) ... in 2^30ths, to the nearest. */
static const uint32_t roots[16] = {
    UINT32_C(1518500250), UINT32_C(1276901417), UINT32_C(1170923762), UINT32_C(1121280436),
    UINT32_C(1097253708), UINT32_C(1085434106), UINT32_C(1079572136), UINT32_C(1076653033),
    UINT32_C(1075196443), UINT32_C(1074468888), UINT32_C(1074105294), UINT32_C(1073923544),
    UINT32_C(1073832680), UINT32_C(1073787251), UINT32_C(1073764537), UINT32_C(1073753181),
};

void ff_hybla_begin(struct ff_hybla *state, const struct ff_hybla_readings *readings, uint64_t initial_bytes)
{
    state->readings = *readings;
    state->initial_bytes = initial_bytes; /* [hybla.begin] */
    state->smallest_ns = FF_NO_RTT_NS;
    state->credit = 0;
}

uint64_t ff_hybla_rho(const struct ff_hybla *state)
{
    if (state->smallest_ns == FF_NO_RTT_NS) {
        return ONE; /* [hybla.rho.unknown] */
    }
    uint64_t reference_ns = state->readings.reference_ms * MS_NS; /* [hybla.rho] below 2^28 */
    uint64_t rtt_ns = ff_min(state->smallest_ns, FF_HYBLA_RHO_LIMIT * reference_ns - 1); /* [hybla.rho.limit] below 2^36 */
    uint64_t found;

    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        found = 8 * rtt_ns / reference_ns * (ONE / 8); /* [hybla.rho.eighths] */
    } else {
        found = ONE * rtt_ns / reference_ns; /* [hybla.rho.fixed] */
    }
    return ff_max(found, ONE); /* [hybla.rho.minimum] */
}

/* Return 2^rho in 65536ths: below 2^33. */
static uint64_t power(const struct ff_hybla *state)
{
    uint64_t parts = ff_hybla_rho(state);
    uint64_t fraction = parts % ONE;
    uint64_t exponent = ff_min(parts / ONE, FF_HYBLA_EXPONENT_MAX); /* [hybla.power.limit] */

    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        return eighths[fraction / (ONE / 8)] * (ONE / 128) << exponent; /* [hybla.power.eighths] */
    }
    uint64_t root = UINT64_C(1) << FF_HYBLA_ROOT_BITS;
    for (unsigned index = 0; index < 16; index++) {
        if ((fraction >> (15 - index) & 1) != 0) {
            root = root * roots[index] >> FF_HYBLA_ROOT_BITS; /* [hybla.power.fixed] both below 2^31 */
        }
    }
    return root << exponent >> (FF_HYBLA_ROOT_BITS - 16);
}

void ff_hybla_take_sample(struct ff_hybla *state, const struct ff_ack *ack)
{
    uint64_t rtt_ns = ack->smoothed_rtt_ns;

    if (state->readings.rtt == FF_HYBLA_RTT_MINIMUM && ack->min_rtt_ns != FF_NO_RTT_NS) {
        rtt_ns = ack->min_rtt_ns - ack->min_rtt_ns % MS_NS; /* [hybla.rtt.minimum] */
    }
    if (rtt_ns < state->smallest_ns) { /* no RTT is above all others */
        state->smallest_ns = rtt_ns;   /* [hybla.rtt] */
    }
}

uint64_t ff_hybla_widened_bytes(const struct ff_hybla *state, uint64_t cwnd_bytes)
{
    if (state->readings.initial == FF_HYBLA_INITIAL_CONFIGURED) {
        return cwnd_bytes;
    }
    /* Divided first, so that nothing overflows: the parts of 65536 are multiplied by less than 2^24. */
    uint64_t initial_bytes = ff_min(state->initial_bytes, FF_WINDOW_MAX_BYTES / FF_HYBLA_RHO_LIMIT);
    uint64_t parts = ff_hybla_rho(state);
    uint64_t least_bytes = initial_bytes / ONE * parts + initial_bytes % ONE * parts / ONE; /* [hybla.initial.scaled] */
    return ff_max(cwnd_bytes, least_bytes);
}

/* Collect 65536ths of a datagram, below 2^49; return the bytes of the whole datagrams that are there now. */
static uint64_t gain(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, uint64_t parts)
{
    state->credit += parts; /* below 2^49 + 2^16 */
    uint64_t gained_bytes = state->credit / ONE * datagram_bytes; /* [hybla.gain.datagrams] */
    state->credit %= ONE;
    if (state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        uint64_t most_bytes = FF_HYBLA_DATAGRAMS_MAX * datagram_bytes;
        uint64_t room_bytes = most_bytes > cwnd_bytes ? most_bytes - cwnd_bytes : 0;
        gained_bytes = ff_min(gained_bytes, room_bytes); /* [hybla.window.maximum] */
    }
    return gained_bytes;
}

/* Collect 65536ths of a byte, so many of each of `count` units, below 2^16; return the whole bytes that are there now. */
static uint64_t collect(struct ff_hybla *state, uint64_t count, uint64_t parts)
{
    uint64_t rest = count * (parts % ONE) + state->credit;        /* below 2^32 */
    uint64_t gained_bytes = count * (parts / ONE) + rest / ONE; /* [hybla.gain.bytes] at most 65535 * (2^48 - 1) + 2^16 */

    state->credit = rest % ONE;
    return gained_bytes;
}

/* Return by how much units of one size widen the window in slow start. */
static uint64_t slow_start_bytes(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, const struct ff_run *units)
{
    uint64_t count = ff_run_count(units);
    uint64_t increase = power(state) - ONE; /* [hybla.slow-start] below 2^33; times a size below 2^49, times a count below 2^49 */

    if (state->readings.gain == FF_HYBLA_GAIN_DATAGRAMS) {
        return gain(state, datagram_bytes, cwnd_bytes, count * increase);
    }
    if (state->readings.gain == FF_HYBLA_GAIN_MIXED) {
        return count * (increase * units->size_bytes / ONE); /* [hybla.gain.mixed] */
    }
    return collect(state, count, increase * units->size_bytes);
}

/* Return by how much they do in congestion avoidance; met_bytes: the window that the ACK met. */
static uint64_t avoidance_bytes(struct ff_hybla *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, const struct ff_run *units,
                                uint64_t met_bytes)
{
    uint64_t count = ff_run_count(units);
    uint64_t parts = ff_hybla_rho(state); /* its square is below 2^48 */

    if (state->readings.gain == FF_HYBLA_GAIN_BYTES) {
        uint64_t square = parts * parts / ONE; /* below 2^32: the product is below 2^64 */
        uint64_t share = square * units->size_bytes * datagram_bytes / ff_max(met_bytes, 1); /* [hybla.avoidance] */
        return collect(state, count, share);
    }
    uint64_t step_parts = state->readings.arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS ? ONE / 128 : 1;
    uint64_t datagrams = ff_max(met_bytes / datagram_bytes, 1);
    uint64_t share = parts * parts / (ONE * step_parts) / datagrams * step_parts; /* [hybla.avoidance.datagrams] */
    return gain(state, datagram_bytes, cwnd_bytes, count * share); /* rho below 2^8: its square is below 2^32 parts */
}

/* Return whether the packets of a run count: those sent after recovery began. */
static bool counts(const struct ff_run *run, uint64_t recovery_start_ns)
{
    return recovery_start_ns == FF_NONE || run->sent_t_ns > recovery_start_ns;
}

/* Return what counts as runs of units of one size, and how many runs; `whole` is room for an ACK that counts once. */
static const struct ff_run *units(const struct ff_hybla *state, uint64_t datagram_bytes, bool slow, const struct ff_ack *ack,
                                  uint64_t recovery_start_ns, struct ff_run *whole, size_t *count)
{
    bool by_packet = state->readings.unit == FF_HYBLA_UNIT_PACKET || (state->readings.unit == FF_HYBLA_UNIT_MIXED && !slow);
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

uint64_t ff_hybla_on_acked(struct ff_hybla *state, const struct ff_hybla_windows *windows, const struct ff_ack *ack,
                           uint64_t recovery_start_ns, bool slow)
{
    uint64_t datagram_bytes = windows->datagram_bytes;
    uint64_t cwnd_bytes = windows->cwnd_bytes;
    struct ff_run whole;
    size_t count;
    const struct ff_run *runs = units(state, datagram_bytes, slow, ack, recovery_start_ns, &whole, &count);

    for (size_t i = 0; i < count; i++) {
        if (!counts(&runs[i], recovery_start_ns)) {
            continue;
        }
        uint64_t more_bytes = slow ? slow_start_bytes(state, datagram_bytes, cwnd_bytes, &runs[i])
                                   : avoidance_bytes(state, datagram_bytes, cwnd_bytes, &runs[i], windows->cwnd_bytes);
        /* Cut before it is added: in congestion avoidance it may be near 2^64. */
        cwnd_bytes = ff_min(cwnd_bytes + ff_min(more_bytes, FF_WINDOW_MAX_BYTES), FF_WINDOW_MAX_BYTES);
    }
    if (slow) {
        cwnd_bytes = ff_min(cwnd_bytes, windows->ssthresh_bytes); /* [hybla.threshold] */
    }
    return cwnd_bytes;
}
