/* Hybla on top of the base controller. Mirrors reference-py/src/firstflight/hybla/hybla.py. */
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

void ff_hybla_begin(const struct ff_hybla_readings *readings, struct ff_hybla *state, const struct ff_newreno *base)
{
    (void)readings;
    state->initial_bytes = base->cwnd_bytes; /* [hybla.begin] */
    state->smallest_ns = FF_NO_RTT_NS;
    state->credit = 0;
}

/* Return rho in 65536ths: below 2^24. */
static uint64_t rho(const struct ff_hybla_readings *readings, const struct ff_hybla *state)
{
    if (state->smallest_ns == FF_NO_RTT_NS) {
        return ONE; /* [hybla.rho.unknown] */
    }
    uint64_t reference_ns = readings->reference_ms * MS_NS; /* [hybla.rho] below 2^28 */
    uint64_t rtt_ns = ff_min(state->smallest_ns, FF_HYBLA_RHO_LIMIT * reference_ns - 1); /* [hybla.rho.limit] below 2^36 */
    uint64_t found;

    if (readings->arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        found = 8 * rtt_ns / reference_ns * (ONE / 8); /* [hybla.rho.eighths] */
    } else {
        found = ONE * rtt_ns / reference_ns; /* [hybla.rho.fixed] */
    }
    return ff_max(found, ONE); /* [hybla.rho.minimum] */
}

/* Return 2^rho in 65536ths: below 2^33. */
static uint64_t power(const struct ff_hybla_readings *readings, uint64_t exponent_parts)
{
    uint64_t exponent = ff_min(exponent_parts / ONE, FF_HYBLA_EXPONENT_MAX); /* [hybla.power.limit] */

    if (readings->arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        return eighths[exponent_parts % ONE / (ONE / 8)] * (ONE / 128) << exponent; /* [hybla.power.eighths] */
    }
    uint64_t fraction = exponent_parts % ONE;
    uint64_t root = UINT64_C(1) << FF_HYBLA_ROOT_BITS;
    for (unsigned index = 0; index < 16; index++) {
        if ((fraction >> (15 - index) & 1) != 0) {
            root = root * roots[index] >> FF_HYBLA_ROOT_BITS; /* [hybla.power.fixed] both below 2^31 */
        }
    }
    return root << exponent >> (FF_HYBLA_ROOT_BITS - 16);
}

static void take_sample(const struct ff_hybla_readings *readings, struct ff_hybla *state, const struct ff_ack *ack)
{
    uint64_t rtt_ns = ack->smoothed_rtt_ns;

    if (readings->rtt == FF_HYBLA_RTT_MINIMUM && ack->min_rtt_ns != FF_NO_RTT_NS) {
        rtt_ns = ack->min_rtt_ns - ack->min_rtt_ns % MS_NS; /* [hybla.rtt.minimum] */
    }
    if (rtt_ns < state->smallest_ns) { /* no RTT is above all others */
        state->smallest_ns = rtt_ns;   /* [hybla.rtt] */
    }
}

/* Give the first slow start a window of the initial one times rho, once an RTT is known. */
static void widen_initial(const struct ff_hybla_readings *readings, const struct ff_hybla *state, struct ff_newreno *base)
{
    if (readings->initial == FF_HYBLA_INITIAL_SCALED && base->ssthresh_bytes == FF_SSTHRESH_INFINITE) {
        /* Divided first, so that nothing overflows: the parts of 65536 are multiplied by less than 2^24. */
        uint64_t initial_bytes = ff_min(state->initial_bytes, FF_WINDOW_MAX_BYTES / FF_HYBLA_RHO_LIMIT);
        uint64_t parts = rho(readings, state);
        uint64_t least_bytes = initial_bytes / ONE * parts + initial_bytes % ONE * parts / ONE; /* [hybla.initial.scaled] */
        base->cwnd_bytes = ff_max(base->cwnd_bytes, least_bytes);
    }
}

/* Collect a share of a datagram, in 65536ths; return the bytes of the whole datagrams that are there now. */
static uint64_t gain(const struct ff_hybla_readings *readings, struct ff_hybla *state, const struct ff_newreno *base,
                     uint64_t datagrams)
{
    state->credit += datagrams; /* below 2^33 + 2^16 */
    uint64_t gained_bytes = state->credit / ONE * base->max_datagram_size_bytes; /* [hybla.gain.datagrams] */
    state->credit %= ONE;
    if (readings->arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS) {
        uint64_t most_bytes = FF_HYBLA_DATAGRAMS_MAX * base->max_datagram_size_bytes;
        uint64_t room_bytes = most_bytes > base->cwnd_bytes ? most_bytes - base->cwnd_bytes : 0;
        gained_bytes = ff_min(gained_bytes, room_bytes); /* [hybla.window.maximum] */
    }
    return gained_bytes;
}

/* Collect 65536ths of a byte; return the whole bytes that are there now. */
static uint64_t collect(struct ff_hybla *state, uint64_t parts)
{
    uint64_t gained_bytes = parts / ONE + (parts % ONE + state->credit) / ONE; /* [hybla.gain.bytes] */

    state->credit = (parts % ONE + state->credit) % ONE;
    return gained_bytes;
}

/* Return by how much a unit widens the window in slow start: less than 2^33 * 2^16 parts. */
static uint64_t slow_start_bytes(const struct ff_hybla_readings *readings, struct ff_hybla *state,
                                 const struct ff_newreno *base, uint64_t size_bytes)
{
    uint64_t increase = power(readings, rho(readings, state)) - ONE; /* [hybla.slow-start] */

    if (readings->gain == FF_HYBLA_GAIN_DATAGRAMS) {
        return gain(readings, state, base, increase);
    }
    if (readings->gain == FF_HYBLA_GAIN_MIXED) {
        return increase * size_bytes / ONE; /* [hybla.gain.mixed] */
    }
    return collect(state, increase * size_bytes);
}

/* Return by how much a unit widens the window in congestion avoidance; window_bytes: that which the ACK met, above 0. */
static uint64_t avoidance_bytes(const struct ff_hybla_readings *readings, struct ff_hybla *state, const struct ff_newreno *base,
                                uint64_t size_bytes, uint64_t window_bytes)
{
    uint64_t parts = rho(readings, state); /* its square is below 2^48 */

    if (readings->gain == FF_HYBLA_GAIN_BYTES) {
        uint64_t square = parts * parts / ONE; /* below 2^32: the product is below 2^64 */
        return collect(state, square * size_bytes * base->max_datagram_size_bytes / window_bytes); /* [hybla.avoidance] */
    }
    uint64_t step_parts = readings->arithmetic == FF_HYBLA_ARITHMETIC_EIGHTHS ? ONE / 128 : 1;
    uint64_t datagrams = ff_max(window_bytes / base->max_datagram_size_bytes, 1);
    uint64_t share = parts * parts / (ONE * step_parts) / datagrams * step_parts; /* [hybla.avoidance.datagrams] */
    return gain(readings, state, base, share);
}

/* Return what counts as runs of units of one size, and how many runs; `whole` is room for an ACK that counts once. */
static const struct ff_run *units(const struct ff_hybla_readings *readings, const struct ff_newreno *base, bool slow,
                                  const struct ff_ack *ack, struct ff_run *whole, size_t *count)
{
    bool by_packet = readings->unit == FF_HYBLA_UNIT_PACKET || (readings->unit == FF_HYBLA_UNIT_MIXED && !slow);
    bool counts = false;

    *count = ack->run_count;
    for (size_t i = 0; i < ack->run_count; i++) {
        counts = counts || !ff_newreno_sent_before_recovery(base, ack->packets[i].sent_t_ns);
    }
    if (by_packet || !counts) {
        return ack->packets; /* [hybla.unit.packet] */
    }
    *whole = (struct ff_run){0, 0, base->max_datagram_size_bytes, UINT64_MAX}; /* [hybla.unit.ack] */
    *count = 1;
    return whole;
}

static void grow(const struct ff_hybla_readings *readings, struct ff_hybla *state, struct ff_newreno *base, bool slow,
                 const struct ff_ack *ack)
{
    uint64_t window_bytes = base->cwnd_bytes;
    struct ff_run whole;
    size_t count;
    const struct ff_run *runs = units(readings, base, slow, ack, &whole, &count);

    for (size_t i = 0; i < count; i++) {
        if (ff_newreno_sent_before_recovery(base, runs[i].sent_t_ns)) {
            continue;
        }
        for (uint64_t packet = runs[i].first; packet <= runs[i].last; packet++) {
            uint64_t more_bytes = slow ? slow_start_bytes(readings, state, base, runs[i].size_bytes)
                                       : avoidance_bytes(readings, state, base, runs[i].size_bytes, window_bytes);
            base->cwnd_bytes = ff_min(base->cwnd_bytes + more_bytes, FF_WINDOW_MAX_BYTES); /* more: below 2^50 */
        }
    }
    if (slow) {
        base->cwnd_bytes = ff_min(base->cwnd_bytes, base->ssthresh_bytes); /* [hybla.threshold] */
    }
}

/* Let the base controller process the ACK without growth, and put the rules in the place of its growth. */
static enum ff_outcome on_ack(const struct ff_hybla_readings *readings, struct ff_hybla *state, struct ff_newreno *base,
                              uint64_t t_ns, const struct ff_ack *ack)
{
    bool slow = ff_newreno_phase(base) == FF_PHASE_SLOW_START;

    if (slow) {
        widen_initial(readings, state, base);
    }
    uint64_t before_bytes = base->cwnd_bytes;
    uint64_t ssthresh_bytes = base->ssthresh_bytes;
    base->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack);
    base->cwnd_bytes = before_bytes;
    base->ssthresh_bytes = ssthresh_bytes;
    if (ack->app_limited) {
        return outcome;
    }
    grow(readings, state, base, slow, ack);
    return outcome == FF_OUTCOME_GROWN && !slow ? FF_OUTCOME_GROWN_AVOIDANCE : outcome;
}

static enum ff_outcome on_event(const struct ff_hybla_readings *readings, struct ff_hybla *state, struct ff_newreno *base,
                                const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK) {
        take_sample(readings, state, &event->ack);
        if (ff_newreno_phase(base) != FF_PHASE_RECOVERY) {
            return on_ack(readings, state, base, event->t_ns, &event->ack); /* [hybla.scope] */
        }
    }
    return ff_newreno_on_event(base, event); /* [hybla.loss] */
}

static void observe(const struct ff_hybla_readings *readings, const struct ff_hybla *state, const struct ff_newreno *base,
                    enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->smallest_rtt_ns = state->smallest_ns;
    observation->rho_fixed = rho(readings, state);
    observation->credit_fixed = state->credit;
}

void ff_hybla_step(const struct ff_hybla_readings *readings, struct ff_hybla *state, struct ff_newreno *base,
                   const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(readings, state, base, outcome, observation);
    }
}
