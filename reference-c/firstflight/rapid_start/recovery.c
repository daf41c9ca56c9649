/* The first recovery of Rapid Start. Mirrors reference-py/src/firstflight/rapid_start/recovery.py. */
#include "firstflight/rapid_start/recovery.h"

#include <stdbool.h>

#include "firstflight/minmax.h"

static uint64_t beta_tenths(const struct ff_rapid_start_readings *readings, const struct ff_base_state *base)
{
    if (readings->beta == FF_RAPID_START_BETA_SEVEN_TENTHS || ff_base_rules[base->base]->beta_tenths == 7) {
        return 7;
    }
    return 5; /* [rapid-start.beta] */
}

/* Return the ack factor, K (1 - beta). */
static uint64_t ack_parts(const struct ff_rapid_start_readings *readings, const struct ff_base_state *base)
{
    uint64_t k_eighteenths = readings->factor_k == FF_RAPID_START_FACTOR_K_TWO_THIRDS ? 12 : 11; /* [rapid-start.factor.k] */

    return k_eighteenths * (10 - beta_tenths(readings, base)); /* [rapid-start.factor.ack] */
}

/* Return the silence factor, also the loss factor: beta + K (1 - beta). It is below 1, like all factors here. */
static uint64_t loss_parts(const struct ff_rapid_start_readings *readings, const struct ff_base_state *base)
{
    return 18 * beta_tenths(readings, base) + ack_parts(readings, base); /* [rapid-start.factor.loss] */
}

/* Multiply in two steps, so that no product exceeds 64 bits. */
static uint64_t down(uint64_t amount, uint64_t parts)
{
    return amount / FF_RAPID_START_PARTS * parts + amount % FF_RAPID_START_PARTS * parts / FF_RAPID_START_PARTS;
}

static uint64_t up(uint64_t amount, uint64_t parts)
{
    uint64_t rest = amount % FF_RAPID_START_PARTS * parts;

    return amount / FF_RAPID_START_PARTS * parts + (rest + FF_RAPID_START_PARTS - 1) / FF_RAPID_START_PARTS;
}

/* Return the lower bound of the recovery that begins now, without the minimum window. */
static uint64_t bound_bytes(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state,
                            const struct ff_base_state *base)
{
    uint64_t beta_parts = 18 * beta_tenths(readings, base);
    uint64_t bound;

    if (readings->lower_bound == FF_RAPID_START_LOWER_BOUND_THIRD_OR_HALF_INITIAL) {
        uint64_t third_bytes = down(base->cwnd_bytes, beta_parts / 3);
        bound = ff_max(third_bytes, state->initial_window_bytes / 2); /* [rapid-start.bound.half-initial] */
    } else {
        bound = up(base->cwnd_bytes, beta_parts / 3); /* [rapid-start.bound] */
        if (readings->lower_bound == FF_RAPID_START_LOWER_BOUND_THIRD_OR_INITIAL) {
            uint64_t initial_bytes = up(state->initial_window_bytes, beta_parts);
            bound = ff_max(bound, initial_bytes); /* [rapid-start.bound.initial] */
        }
    }
    return bound;
}

uint64_t ff_rapid_start_with_minimum(uint64_t bound_bytes, const struct ff_base_state *base)
{
    return ff_max(bound_bytes, ff_newreno_minimum_window_bytes(base)); /* [rapid-start.bound.minimum] */
}

/* Begin the first recovery period with the window times the silence factor. */
static void begin(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state, struct ff_base_state *base,
                  uint64_t now_ns)
{
    uint64_t prior_bytes = base->cwnd_bytes;
    uint64_t bound = bound_bytes(readings, state, base);
    uint64_t window_bytes =
        ff_max(down(prior_bytes, loss_parts(readings, base)), ff_rapid_start_with_minimum(bound, base));

    ff_newreno_begin_recovery(base, now_ns, window_bytes, prior_bytes); /* [rapid-start.recovery.begin] */
    state->lower_bound_bytes = bound;
    state->stage = FF_RAPID_START_STAGE_RECOVERY;
}

/* Subtract bytes from the window, down to the lower bound. */
static enum ff_outcome reduce(const struct ff_rapid_start *state, struct ff_base_state *base, uint64_t less_bytes)
{
    uint64_t left_bytes = base->cwnd_bytes - ff_min(less_bytes, base->cwnd_bytes);
    uint64_t bound = ff_rapid_start_with_minimum(state->lower_bound_bytes, base);

    base->cwnd_bytes = ff_max(left_bytes, bound);
    return left_bytes < bound ? FF_OUTCOME_LOWER_BOUND_KEPT : FF_OUTCOME_REDUCED_FURTHER;
}

/* Return the acknowledged bytes of packets sent before the recovery. */
static uint64_t old_bytes(const struct ff_base_state *base, const struct ff_ack *ack)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < ack->run_count; i++) {
        const struct ff_run *run = &ack->packets[i];
        if (ff_newreno_sent_before_recovery(base, run->sent_t_ns)) {
            bytes += (run->last - run->first + 1) * run->size_bytes; /* [rapid-start.recovery.ending-ack] */
        }
    }
    return bytes;
}

/* Grow the window by all packets of an ACK, including packets sent before the recovery. */
static enum ff_outcome on_ack_as_a_whole(struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t start_ns = base->recovery_start_ns;

    base->recovery_start_ns = FF_NONE;
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack); /* [rapid-start.recovery.ending-ack.whole] */
    base->recovery_start_ns = start_ns;
    return outcome;
}

enum ff_outcome ff_rapid_start_on_recovery_ack(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                               struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t old = old_bytes(base, ack);
    bool ends = old < ack->bytes;
    bool counts = base->in_recovery && old > 0 && (!ends || readings->ending_ack == FF_RAPID_START_ENDING_ACK_COUNTED);
    enum ff_outcome reduced = FF_OUTCOME_IN_RECOVERY;

    if (counts) {
        reduced = reduce(state, base, up(old, ack_parts(readings, base))); /* [rapid-start.recovery.ack] */
        if (readings->ssthresh == FF_RAPID_START_SSTHRESH_FOLLOWS) {
            base->ssthresh_bytes = base->cwnd_bytes; /* [rapid-start.recovery.threshold] */
        }
    }
    bool whole = ends && readings->ending_ack == FF_RAPID_START_ENDING_ACK_AS_A_WHOLE;
    enum ff_outcome outcome = whole ? on_ack_as_a_whole(base, t_ns, ack) : ff_newreno_on_ack(base, t_ns, ack);
    if (!base->in_recovery && readings->late_losses == FF_RAPID_START_LATE_LOSSES_NOT_COUNTED) {
        state->stage = FF_RAPID_START_STAGE_OVER; /* [rapid-start.recovery.end] */
    }
    return counts && !ends ? reduced : outcome;
}

/* Return the reduction for lost packets, at most their bytes. `first`: they began the recovery. */
static uint64_t lost_bytes(const struct ff_rapid_start_readings *readings, const struct ff_base_state *base,
                           const struct ff_lost *lost, bool first)
{
    uint64_t parts = loss_parts(readings, base);
    uint64_t less_bytes = 0;

    if (readings->counted_losses == FF_RAPID_START_COUNTED_LOSSES_ALL) {
        return up(lost->bytes, parts); /* [rapid-start.recovery.lost] */
    }
    for (size_t i = 0; i < lost->run_count; i++) {
        const struct ff_run *run = &lost->packets[i];
        less_bytes += (run->last - run->first + 1) * up(run->size_bytes, parts);
    }
    return less_bytes - (first ? up(lost->packets[0].size_bytes, parts) : 0); /* [rapid-start.recovery.lost.each] */
}

enum ff_outcome ff_rapid_start_on_lost(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                       struct ff_base_state *base, uint64_t t_ns, const struct ff_lost *lost)
{
    bool first = state->stage == FF_RAPID_START_STAGE_STARTUP;

    if (first) {
        begin(readings, state, base, t_ns);
    }
    enum ff_outcome outcome = ff_newreno_on_lost(base, t_ns, lost);
    if (outcome == FF_OUTCOME_REDUCED) {
        state->stage = FF_RAPID_START_STAGE_OVER; /* [rapid-start.recovery.second] */
        return outcome;
    }
    if (!base->in_recovery && readings->late_losses == FF_RAPID_START_LATE_LOSSES_NOT_COUNTED) {
        return outcome;
    }
    enum ff_outcome reduced = reduce(state, base, lost_bytes(readings, base, lost, first)); /* [rapid-start.recovery.late] */
    base->ssthresh_bytes = base->cwnd_bytes;
    return first ? FF_OUTCOME_REDUCED : reduced;
}

enum ff_outcome ff_rapid_start_on_ce(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                     struct ff_base_state *base, uint64_t t_ns, const struct ff_ce *ce)
{
    if (state->stage == FF_RAPID_START_STAGE_STARTUP) {
        begin(readings, state, base, t_ns); /* [rapid-start.recovery.ce] */
        return FF_OUTCOME_REDUCED;
    }
    enum ff_outcome outcome = ff_newreno_on_ce(base, t_ns, ce);
    if (outcome == FF_OUTCOME_REDUCED) {
        state->stage = FF_RAPID_START_STAGE_OVER;
    } else if (readings->ssthresh == FF_RAPID_START_SSTHRESH_AT_SIGNALS) {
        base->ssthresh_bytes = base->cwnd_bytes; /* [rapid-start.recovery.threshold.signals] */
    }
    return outcome;
}
