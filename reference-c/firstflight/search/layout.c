/*
 * Memory layout of the state of SEARCH. Only the port needs it: the model has lists of bins and stores the end of the
 * open bin itself.
 */
#include "firstflight/search/layout.h"

#include "firstflight/minmax.h"

/*
 * Return the oldest bin of the earlier window, counted back from the open bin: at most 49. The window of index i begins
 * with bin i - 10, or with bin i - 9 for live bins. Its index is at least curr - 38, or one less with backward
 * interpolation. In a ring of 25, a bin 25 or more before the newest slot is read as a younger bin. No bin before the
 * ring is read.
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

/* Return the oldest bin of the later window, counted back from the open bin: at most ten, because its index is curr. */
static uint32_t later_window_bins(const struct ff_search_readings *readings)
{
    return readings->kept_bins == FF_SEARCH_KEPT_BINS_NEWEST ? 1 : FF_SEARCH_WINDOW_BINS;
}

/* Return how many bins the exit looks back: with the current RTT 2 k modulo 25, for k up to the largest shift. */
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

/* Return 1 if an ACK at the end of a bin still counts in that bin: its effective end is one tick later. */
static uint64_t after_ticks(const struct ff_search_readings *readings)
{
    return readings->boundary == FF_SEARCH_BOUNDARY_AFTER ? 1 : 0;
}

/*
 * n units are 20 n ticks: the end has passed iff n >= ceil(end / 20). A time t_ns has at least n units iff it is at
 * least n times the length of a unit. The end is at most 20 t + 7 rtt < 27 * 2^59: an advance leads at most one bin
 * duration past now. Therefore no value here reaches 2^64.
 */
uint64_t ff_search_gate_ns(const struct ff_search_readings *readings, uint64_t bin_end_ticks)
{
    uint64_t last_tick = bin_end_ticks + after_ticks(readings) + FF_SEARCH_TICKS_PER_UNIT - 1;

    return last_tick / FF_SEARCH_TICKS_PER_UNIT * ff_search_ns_per_unit(readings);
}

/*
 * Return the end: the gate minus the rounding, at most 19 ticks. Bin 0 was opened at a whole number of units, and all
 * bins have the same duration. Therefore the end is (curr + 1) durations modulo 20.
 */
uint64_t ff_search_bin_end_ticks(const struct ff_search_readings *readings, const struct ff_search *state)
{
    uint64_t up_ticks = FF_SEARCH_TICKS_PER_UNIT * (state->gate_ns / ff_search_ns_per_unit(readings));
    uint64_t rest = (state->curr + 1) % FF_SEARCH_TICKS_PER_UNIT * (state->bin_ticks % FF_SEARCH_TICKS_PER_UNIT);
    uint64_t over = (rest + after_ticks(readings)) % FF_SEARCH_TICKS_PER_UNIT;

    return up_ticks - (FF_SEARCH_TICKS_PER_UNIT - over) % FF_SEARCH_TICKS_PER_UNIT - after_ticks(readings);
}
