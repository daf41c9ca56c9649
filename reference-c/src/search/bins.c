/* The bins of SEARCH. Mirrors reference-py/src/firstflight/search_bins.py. */
#include "firstflight/search/bins.h"

#include "firstflight/minmax.h"
#include "firstflight/search/exit.h"

/*
 * The oldest bin of the earlier window, counted back from the open one. The window of index i begins with bin i - 10, of
 * live bins with i - 9; its index is at least curr - 38, one less with backward interpolation: at most 49 bins back. In a ring
 * of 25 the bins from 25 before the newest slot on count as younger ones, so that none before the ring is read.
 */
static uint32_t earlier_window_bins(const struct ff_search_readings *readings)
{
    uint32_t bins = (uint32_t)readings->shift_maximum_bins + FF_SEARCH_WINDOW_BINS;

    bins += readings->interpolation == FF_SEARCH_INTERPOLATION_BACKWARD;
    bins -= readings->windows == FF_SEARCH_WINDOWS_LIVE;
    if (readings->ring != FF_SEARCH_RING_AMPLE) {
        bins = (uint32_t)ff_min(bins, FF_SEARCH_RING_BINS - (readings->ring == FF_SEARCH_RING_OPEN_BIN));
    }
    return readings->kept_bins == FF_SEARCH_KEPT_BINS_NEWEST ? 1 : bins;
}

/* The later window has the index curr; its oldest bin is ten back, and no reading of it goes further. */
static uint32_t later_window_bins(const struct ff_search_readings *readings)
{
    return readings->kept_bins == FF_SEARCH_KEPT_BINS_NEWEST ? 1 : FF_SEARCH_WINDOW_BINS;
}

/* What the exit looks back to: 2 k modulo 25 bins with the current RTT, k being at most the largest shift. */
static uint32_t exit_bins(const struct ff_search_readings *readings)
{
    if (readings->lower == FF_SEARCH_LOWER_DRAIN) {
        return FF_SEARCH_DRAIN_BINS;
    }
    if (readings->lower == FF_SEARCH_LOWER_NOTHING || readings->rollback == FF_SEARCH_ROLLBACK_NONE) {
        return 0;
    }
    if (readings->rollback == FF_SEARCH_ROLLBACK_CURRENT_RTT) {
        uint32_t bins = (uint32_t)ff_min(2 * (uint32_t)readings->shift_maximum_bins, FF_SEARCH_ROLLBACK_RING_BINS - 1);
        return bins - (bins > 0 && readings->windows == FF_SEARCH_WINDOWS_LIVE);
    }
    return readings->rollback == FF_SEARCH_ROLLBACK_FLOOR ? FF_SEARCH_ROLLBACK_FLOOR_BINS : FF_SEARCH_ROLLBACK_NEAREST_BINS;
}

uint32_t ff_search_kept_bins(const struct ff_search_readings *readings, enum ff_search_kind kind)
{
    bool compared = readings->compared == FF_SEARCH_COMPARED_SENT;

    if (kind == FF_SEARCH_SENT) {
        return compared ? earlier_window_bins(readings) : 0;
    }
    return (uint32_t)ff_max(compared ? later_window_bins(readings) : earlier_window_bins(readings), exit_bins(readings));
}

static size_t first_slot(const struct ff_search_readings *readings)
{
    bool more = readings->compared == FF_SEARCH_COMPARED_SENT || readings->lower == FF_SEARCH_LOWER_DRAIN;

    return sizeof(struct ff_search) + (more ? sizeof(struct ff_search_more) : 0);
}

static size_t sent_slot(const struct ff_search_readings *readings)
{
    return first_slot(readings) + (size_t)FF_SEARCH_BIN_BYTES * ff_search_kept_bins(readings, FF_SEARCH_DELIVERED);
}

size_t ff_search_state_bytes(const struct ff_search_readings *readings)
{
    return sent_slot(readings) + (size_t)FF_SEARCH_BIN_BYTES * ff_search_kept_bins(readings, FF_SEARCH_SENT);
}

uint8_t *ff_search_slots(const struct ff_search_readings *readings, const struct ff_search *state, enum ff_search_kind kind)
{
    return (uint8_t *)state + (kind == FF_SEARCH_SENT ? sent_slot(readings) : first_slot(readings));
}

void ff_search_init(const struct ff_search_readings *readings, struct ff_search *state)
{
    struct ff_search_more *more = ff_search_more(readings, state);

    state->sample = (struct ff_search_sample){FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, 0};
    state->delivered.counter_bytes = 0;
    if (more != NULL) {
        more->sent.counter_bytes = 0;
    }
    ff_search_forget(readings, state);
}

void ff_search_forget(const struct ff_search_readings *readings, struct ff_search *state)
{
    struct ff_search_more *more = ff_search_more(readings, state);

    ff_search_begin(readings, state, 0, 0);
    if (more != NULL) {
        more->target_bytes = FF_NONE;
        more->drain_acked = 0;
    }
}

uint64_t ff_search_bin_duration_ticks(const struct ff_search_readings *readings, uint64_t rtt_units)
{
    /* Below 7 * 2^59. */
    if (readings->bin_duration == FF_SEARCH_BIN_DURATION_EXACT) {
        return FF_SEARCH_BIN_TICKS_PER_RTT * rtt_units; /* [search.init.first-ack] */
    }
    uint64_t whole_units =
        FF_SEARCH_BIN_TICKS_PER_RTT * rtt_units / FF_SEARCH_TICKS_PER_UNIT; /* [search.init.coarse-duration] */
    if (whole_units == 0 && readings->bin_duration == FF_SEARCH_BIN_DURATION_CLOCK) {
        whole_units = 1;
    }
    return FF_SEARCH_TICKS_PER_UNIT * whole_units;
}

/* 1 where a bin that ends now still takes the ACK: its end lies one tick later, so to speak. */
static uint64_t after_ticks(const struct ff_search_readings *readings)
{
    return readings->boundary == FF_SEARCH_BOUNDARY_AFTER ? 1 : 0;
}

/*
 * The first time at which the bin has ended. Of n units 20 n ticks are late enough if and only if n is at least the end over 20,
 * rounded up, and t_ns is n units or more if and only if it is n times their length or more. An end is at most
 * 20 t + 7 rtt < 27 * 2^59 (each advance leads to one bin duration after now at most): nothing here reaches 2^64.
 */
static uint64_t gate_ns(const struct ff_search_readings *readings, uint64_t bin_end_ticks)
{
    uint64_t last_tick = bin_end_ticks + after_ticks(readings) + FF_SEARCH_TICKS_PER_UNIT - 1;

    return last_tick / FF_SEARCH_TICKS_PER_UNIT * ff_search_ns_per_unit(readings);
}

/*
 * The gate keeps the end but for what was rounded up, at most 19 ticks. Bin 0 was opened at a whole number of units and every bin
 * has the same duration, so that the end is (curr + 1) durations modulo 20.
 */
uint64_t ff_search_bin_end_ticks(const struct ff_search_readings *readings, const struct ff_search *state)
{
    uint64_t up_ticks = FF_SEARCH_TICKS_PER_UNIT * (state->gate_ns / ff_search_ns_per_unit(readings));
    uint64_t rest = (state->curr + 1) % FF_SEARCH_TICKS_PER_UNIT * (state->bin_ticks % FF_SEARCH_TICKS_PER_UNIT);
    uint64_t over = (rest + after_ticks(readings)) % FF_SEARCH_TICKS_PER_UNIT;

    return up_ticks - (FF_SEARCH_TICKS_PER_UNIT - over) % FF_SEARCH_TICKS_PER_UNIT - after_ticks(readings);
}

void ff_search_begin(const struct ff_search_readings *readings, struct ff_search *state, uint64_t bin_ticks,
                     uint64_t now_units)
{
    struct ff_search_more *more = ff_search_more(readings, state);

    state->bin_ticks = bin_ticks;
    state->gate_ns = bin_ticks > 0 ? gate_ns(readings, FF_SEARCH_TICKS_PER_UNIT * now_units + bin_ticks) : 0;
    state->curr = 0;
    state->delivered.opened_bytes = state->delivered.counter_bytes;
    if (more != NULL) {
        more->sent.opened_bytes = more->sent.counter_bytes;
    }
}

static uint64_t late_ticks(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    uint64_t now_ticks = FF_SEARCH_TICKS_PER_UNIT * ff_search_units(readings, t_ns); /* below 20 * 2^59 */

    return now_ticks - ff_search_bin_end_ticks(readings, state);
}

uint64_t ff_search_passed(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    return late_ticks(readings, state, t_ns) / state->bin_ticks + 1; /* [search.bins.passed] */
}

uint64_t ff_search_ended(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    uint64_t steps = ff_search_passed(readings, state, t_ns);
    bool at_an_end = late_ticks(readings, state, t_ns) % state->bin_ticks == 0;

    if (readings->ended_bins == FF_SEARCH_ENDED_BINS_EACH_TESTED && readings->boundary == FF_SEARCH_BOUNDARY_AFTER &&
        at_an_end) {
        steps--; /* [search.bins.each-tested] */
    }
    return steps;
}

static void store(uint8_t *slots, uint32_t slot, uint64_t bytes)
{
    uint8_t *place = slots + (size_t)FF_SEARCH_BIN_BYTES * slot;

    for (int i = 0; i < FF_SEARCH_BIN_BYTES; i++) {
        place[i] = (uint8_t)(bytes >> 8 * i);
    }
}

/* End the open bin. What it holds goes to the first of the bins that end, or to the last. */
static void complete(const struct ff_search_readings *readings, struct ff_search *state, enum ff_search_kind kind,
                     struct ff_search_series *series, uint64_t steps)
{
    uint8_t *slots = ff_search_slots(readings, state, kind);
    uint32_t kept = ff_search_kept_bins(readings, kind);
    uint64_t filled = state->curr;

    if (readings->crossing_credit == FF_SEARCH_CROSSING_CREDIT_LAST_BIN) {
        filled += steps - 1;
    }
    /* Of more bins than are kept the oldest never show. */
    uint64_t skipped = steps > kept ? steps - kept : 0;
    uint32_t slot = (uint32_t)((state->curr + skipped) % kept);
    for (uint64_t bin = state->curr + skipped; bin < state->curr + steps; bin++) {
        store(slots, slot, bin == filled ? series->counter_bytes - series->opened_bytes : 0);
        slot = slot + 1 == kept ? 0 : slot + 1;
    }
    series->opened_bytes = series->counter_bytes;
}

void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t steps)
{
    uint64_t bin_end_ticks = ff_search_bin_end_ticks(readings, state);

    if (readings->catch_up == FF_SEARCH_CATCH_UP_ONE) {
        steps = 1;
    }
    complete(readings, state, FF_SEARCH_DELIVERED, &state->delivered, steps);
    if (readings->compared == FF_SEARCH_COMPARED_SENT) {
        complete(readings, state, FF_SEARCH_SENT, &ff_search_more(readings, state)->sent, steps);
    }
    /* curr stays below 20 * 2^59 / 7 < 2^61. */
    state->curr += steps;
    state->gate_ns = gate_ns(readings, bin_end_ticks + steps * state->bin_ticks); /* [search.bins.advance] */
}
