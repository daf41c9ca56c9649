/* SEARCH. Mirrors reference-py/src/firstflight/search.py. */
#include "firstflight/search.h"

#include <stdbool.h>

void ff_search_begin(struct ff_search *state)
{
    state->bin_ticks = 0;
    state->bin_end_ticks = 0;
    state->curr = 0;
    state->rtt_ns = 0;
    state->slot = 0;
    for (uint32_t slot = 0; slot < FF_SEARCH_RING_BINS; slot++) {
        state->bins[slot] = 0;
    }
}

static void conclude(struct ff_search_evaluation *evaluation, enum ff_outcome outcome)
{
    evaluation->outcome = outcome;
    evaluation->shift_bins = FF_NONE;
    evaluation->current_bytes = FF_NONE;
    evaluation->previous_bytes = FF_NONE;
}

/* May `delivered_bytes` be credited to the open bin? At most 2^56 + 2^48: no overflow. */
static bool credit_fits(const struct ff_search *state, uint64_t delivered_bytes)
{
    return state->bins[state->slot] + delivered_bytes <= FF_BIN_MAX_BYTES;
}

static void credit(struct ff_search *state, uint64_t delivered_bytes)
{
    state->bins[state->slot] += delivered_bytes; /* [search.bins.credit] */
}

static void start(struct ff_search *state, uint64_t t_ns, const struct ff_ack *ack,
                  struct ff_search_evaluation *evaluation)
{
    if (ack->latest_rtt_ns == FF_NO_RTT_NS) {
        conclude(evaluation, FF_OUTCOME_NO_RTT_SAMPLE); /* [search.init.wait-for-sample] */
        return;
    }
    ff_search_begin(state);
    state->rtt_ns = ack->latest_rtt_ns;
    if (state->rtt_ns == 0) {
        state->rtt_ns = 1; /* [search.init.rtt-zero] */
    }
    /* Times are below 2^59: 20 * t + 7 * rtt is below 27 * 2^59 < 2^64. */
    state->bin_ticks = FF_SEARCH_BIN_TICKS_PER_RTT_NS * state->rtt_ns; /* [search.init.first-ack] */
    state->bin_end_ticks = FF_SEARCH_TICKS_PER_NS * t_ns + state->bin_ticks;
    credit(state, ack->bytes); /* an empty bin: at most 2^48 */
    conclude(evaluation, FF_OUTCOME_STARTED);
}

/* How many bin ends lie before t_ns, counting one at t_ns itself by the reading `boundary`. */
static uint64_t bins_passed(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    /* Below 20 * 2^59 and, by induction over the advances, at most 20 * t + 7 * rtt < 27 * 2^59. */
    uint64_t now_ticks = FF_SEARCH_TICKS_PER_NS * t_ns;
    uint64_t end_ticks = state->bin_end_ticks + (readings->boundary == FF_SEARCH_BOUNDARY_AFTER ? 1 : 0);

    return now_ticks < end_ticks ? 0 : (now_ticks - end_ticks) / state->bin_ticks + 1;
}

static void advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t passed)
{
    if (readings->catch_up == FF_SEARCH_CATCH_UP_ONE) {
        passed = 1;
    }
    for (uint64_t step = 1; step <= passed && step <= FF_SEARCH_RING_BINS; step++) {
        state->slot = state->slot + 1 == FF_SEARCH_RING_BINS ? 0 : state->slot + 1;
        state->bins[state->slot] = 0;
    }
    /* The new end lies at most one bin after now, whence the bound in bins_passed; curr stays below 2^62. */
    state->bin_end_ticks += passed * state->bin_ticks; /* [search.bins.advance] */
    state->curr += passed;
    state->slot = (uint32_t)(state->curr % FF_SEARCH_RING_BINS);
}

static uint64_t evaluation_rtt_ns(const struct ff_search_readings *readings, const struct ff_search *state,
                                  const struct ff_ack *ack)
{
    uint64_t sample_ns = ack->latest_rtt_ns; /* [search.rtt.latest] */

    if (readings->rtt == FF_SEARCH_RTT_SMOOTHED) {
        sample_ns = ack->smoothed_rtt_ns;
    } else if (readings->rtt == FF_SEARCH_RTT_MINIMUM) {
        sample_ns = ack->min_rtt_ns;
    }
    return sample_ns == FF_NO_RTT_NS ? state->rtt_ns : sample_ns;
}

static uint64_t shift_bins(const struct ff_search_readings *readings, const struct ff_search *state)
{
    uint64_t rtt_ticks = FF_SEARCH_TICKS_PER_NS * state->rtt_ns; /* below 20 * 2^59 */
    uint64_t shift = rtt_ticks / state->bin_ticks;               /* [search.shift.round] */
    uint64_t twice_rest_ticks = 2 * (rtt_ticks % state->bin_ticks); /* below 2 * 7 * 2^59 */

    if (readings->shift == FF_SEARCH_SHIFT_NEAREST && twice_rest_ticks > state->bin_ticks) {
        shift++;
    }
    if (readings->shift == FF_SEARCH_SHIFT_NEAREST_UP && twice_rest_ticks >= state->bin_ticks) {
        shift++;
    }
    if (shift < readings->shift_minimum_bins) {
        shift = readings->shift_minimum_bins; /* [search.shift.minimum] */
    }
    return shift;
}

/* Sum of the bins first..last, at most eleven of at most 2^56 bytes. */
static uint64_t sum_bytes(const struct ff_search *state, uint64_t first, uint64_t last)
{
    uint32_t slot = (uint32_t)(first % FF_SEARCH_RING_BINS);
    uint64_t sum = 0;

    for (uint64_t index = first; index <= last; index++) {
        sum += state->bins[slot];
        slot = slot + 1 == FF_SEARCH_RING_BINS ? 0 : slot + 1;
    }
    return sum;
}

static uint64_t window_bytes(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t end)
{
    if (readings->windows == FF_SEARCH_WINDOWS_THROUGH_OPEN) {
        return sum_bytes(state, end - FF_SEARCH_WINDOW_BINS, end); /* [search.windows.through-open] */
    }
    return sum_bytes(state, end - FF_SEARCH_WINDOW_BINS, end - 1); /* [search.windows.completed] */
}

static bool reaches_threshold(const struct ff_search_readings *readings, uint64_t previous_bytes, uint64_t current_bytes)
{
    /* Sums are at most 11 * 2^56, and 13 * 11 * 2^56 < 2^64. */
    uint64_t previous = FF_SEARCH_THRESHOLD_PREVIOUS * previous_bytes;
    uint64_t current = FF_SEARCH_THRESHOLD_CURRENT * current_bytes;

    return readings->threshold == FF_SEARCH_THRESHOLD_AT_LEAST ? previous >= current : previous > current;
}

/* Compare the two windows. The order of the tests is that of the page. */
static void evaluate(const struct ff_search_readings *readings, const struct ff_search *state,
                     struct ff_search_evaluation *evaluation)
{
    uint64_t shift = shift_bins(readings, state);

    conclude(evaluation, FF_OUTCOME_EXITED);
    evaluation->shift_bins = shift;
    if (shift > readings->shift_maximum_bins) {
        evaluation->outcome = FF_OUTCOME_RTT_INFLATED; /* [search.guard.rtt-inflated] */
        return;
    }
    /* prev < 10 without a subtraction: a shift above curr would make it negative. The shift is now at most 255. */
    uint64_t needed = shift + FF_SEARCH_WINDOW_BINS;
    if (state->curr < needed || (readings->guard == FF_SEARCH_GUARD_MORE_THAN && state->curr == needed)) {
        evaluation->outcome = FF_OUTCOME_WARMING_UP; /* [search.guard.warming-up] */
        return;
    }
    evaluation->current_bytes = window_bytes(readings, state, state->curr);
    evaluation->previous_bytes = window_bytes(readings, state, state->curr - shift);
    if (evaluation->previous_bytes == 0) {
        evaluation->outcome = FF_OUTCOME_PREVIOUS_ZERO; /* [search.previous-zero] */
    } else if (!reaches_threshold(readings, evaluation->previous_bytes, evaluation->current_bytes)) {
        evaluation->outcome = FF_OUTCOME_BELOW_THRESHOLD; /* [search.threshold.below] */
    }
}

static void leave(const struct ff_search_readings *readings, const struct ff_search *state, const struct ff_ack *ack,
                  uint64_t cwnd_bytes, uint64_t minimum_window_bytes, struct ff_search_exit *result)
{
    if (readings->exit_growth == FF_SEARCH_EXIT_GROWTH_SLOW_START) {
        cwnd_bytes += ack->bytes; /* below 2^62 + 2^48 */
        cwnd_bytes = cwnd_bytes < FF_WINDOW_MAX_BYTES ? cwnd_bytes : FF_WINDOW_MAX_BYTES;
    }
    uint64_t rollback_bins = readings->rollback == FF_SEARCH_ROLLBACK_FLOOR ? 5 : 6;
    /* An evaluation needs curr >= 10, so that the first index is not negative. */
    uint64_t overshoot_bytes = sum_bytes(state, state->curr - rollback_bins, state->curr); /* [search.exit.overshoot] */
    uint64_t lowered_bytes = cwnd_bytes > overshoot_bytes ? cwnd_bytes - overshoot_bytes : 0;
    uint64_t floor_bytes = readings->window_floor == FF_SEARCH_WINDOW_FLOOR_MINIMUM ? minimum_window_bytes : 0;

    lowered_bytes = lowered_bytes > floor_bytes ? lowered_bytes : floor_bytes; /* [search.exit.floor] */
    result->growth = readings->exit_growth;
    result->cwnd_bytes = cwnd_bytes;
    if (readings->lower == FF_SEARCH_LOWER_NOTHING) {
        result->ssthresh_bytes = cwnd_bytes;
        return;
    }
    result->ssthresh_bytes = lowered_bytes;
    if (readings->lower == FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD) {
        result->cwnd_bytes = lowered_bytes; /* [search.exit.lower] */
    }
}

enum ff_status ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                const struct ff_ack *ack, uint64_t cwnd_bytes, uint64_t minimum_window_bytes,
                                struct ff_search_decision *decision)
{
    bool credit_completed = readings->crossing_credit == FF_SEARCH_CROSSING_CREDIT_COMPLETED_BIN;

    if (readings->app_limited == FF_SEARCH_APP_LIMITED_SKIP && ack->app_limited) {
        conclude(&decision->evaluation, FF_OUTCOME_APP_LIMITED); /* [search.app-limited] */
        return FF_OK;
    }
    if (state->bin_ticks == 0) {
        start(state, t_ns, ack, &decision->evaluation);
        return FF_OK;
    }
    uint64_t passed = bins_passed(readings, state, t_ns);
    if ((passed == 0 || credit_completed) && !credit_fits(state, ack->bytes)) {
        return FF_ERR_DOMAIN; /* [search.domain] */
    }
    if (passed == 0) {
        credit(state, ack->bytes);
        conclude(&decision->evaluation, FF_OUTCOME_SAME_BIN); /* [search.bins.same-bin] */
        return FF_OK;
    }
    if (credit_completed) {
        credit(state, ack->bytes); /* [search.bins.credit-before] */
    }
    advance(readings, state, passed);
    state->rtt_ns = evaluation_rtt_ns(readings, state, ack);
    evaluate(readings, state, &decision->evaluation);
    if (decision->evaluation.outcome == FF_OUTCOME_EXITED) {
        leave(readings, state, ack, cwnd_bytes, minimum_window_bytes, &decision->exit);
    }
    if (!credit_completed) {
        credit(state, ack->bytes); /* the bin is empty: at most 2^48 */
    }
    return FF_OK;
}

void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->restart == FF_SEARCH_RESTART_REINITIALISE) {
        ff_search_begin(state); /* [search.restart] */
    }
}
