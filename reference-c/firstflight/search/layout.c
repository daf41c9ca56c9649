/*
 * How the state of SEARCH is laid out: what the port has and the model does without, since it keeps lists of bins and
 * the end of the open one as it is.
 */
#include "firstflight/search/layout.h"

#include "firstflight/minmax.h"

/*
 * The oldest bin of the earlier window, counted back from the open one. The window of index i begins with bin i - 10,
 * of live bins with i - 9; its index is at least curr - 38, one less with backward interpolation: at most 49 bins back.
 * In a ring of 25 the bins from 25 before the newest slot on count as younger ones, so that none before the ring is
 * read.
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

/* 1 where a bin that ends now still takes the ACK: its end lies one tick later, so to speak. */
static uint64_t after_ticks(const struct ff_search_readings *readings)
{
    return readings->boundary == FF_SEARCH_BOUNDARY_AFTER ? 1 : 0;
}

/*
 * The first time at which the bin has ended. Of n units 20 n ticks are late enough if and only if n is at least the end
 * over 20, rounded up, and t_ns is n units or more if and only if it is n times their length or more. An end is at most
 * 20 t + 7 rtt < 27 * 2^59 (each advance leads to one bin duration after now at most): nothing here reaches 2^64.
 */
uint64_t ff_search_gate_ns(const struct ff_search_readings *readings, uint64_t bin_end_ticks)
{
    uint64_t last_tick = bin_end_ticks + after_ticks(readings) + FF_SEARCH_TICKS_PER_UNIT - 1;

    return last_tick / FF_SEARCH_TICKS_PER_UNIT * ff_search_ns_per_unit(readings);
}

/*
 * The gate keeps the end but for what was rounded up, at most 19 ticks. Bin 0 was opened at a whole number of units and
 * every bin has the same duration, so that the end is (curr + 1) durations modulo 20.
 */
uint64_t ff_search_bin_end_ticks(const struct ff_search_readings *readings, const struct ff_search *state)
{
    uint64_t up_ticks = FF_SEARCH_TICKS_PER_UNIT * (state->gate_ns / ff_search_ns_per_unit(readings));
    uint64_t rest = (state->curr + 1) % FF_SEARCH_TICKS_PER_UNIT * (state->bin_ticks % FF_SEARCH_TICKS_PER_UNIT);
    uint64_t over = (rest + after_ticks(readings)) % FF_SEARCH_TICKS_PER_UNIT;

    return up_ticks - (FF_SEARCH_TICKS_PER_UNIT - over) % FF_SEARCH_TICKS_PER_UNIT - after_ticks(readings);
}
