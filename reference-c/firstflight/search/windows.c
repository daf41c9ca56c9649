/*
 * The windows of SEARCH and their comparison. Mirrors reference-py/src/firstflight/search/windows.py.
 *
 * Bins are identified by age: bin i has the age curr - i, from -1 to 49. Older bins have larger ages, and no index is
 * negative.
 */
#include "firstflight/search/windows.h"

#include <stdbool.h>

#include "firstflight/search/layout.h"
#include "firstflight/u128.h"
#include "firstflight/wide.h"

/* Width of a shifted counter in bits. */
#define SHIFTED_BITS 16

/* A series of bytes per bin, with the values needed to sum windows of bins. `curr`: index of the open bin. */
struct view {
    const struct ff_search_readings *readings;
    const struct ff_search_series *series;
    const uint8_t *slots;
    uint32_t kept;
    uint64_t curr;
    unsigned scale; /* right shift of the counters in bits */
};

/* The ages of the first and the last bin of a window; first >= last. */
struct bounds {
    int first;
    int last;
};

/* A window of fractional bytes: a number of parts, and the parts per byte. */
struct fraction {
    struct ff_u128 parts;
    uint64_t per_byte;
};

static struct view view_of(const struct ff_search_readings *readings, const struct ff_search *state,
                           enum ff_search_kind kind, unsigned scale)
{
    const struct ff_search_series *series = &state->delivered;

    if (kind == FF_SEARCH_SENT) {
        series = &ff_search_more(readings, state)->sent;
    }
    return (struct view){.readings = readings,
                         .series = series,
                         .slots = ff_search_slots(readings, state, kind),
                         .kept = ff_search_kept_bins(readings, kind),
                         .curr = state->curr,
                         .scale = scale};
}

/* Return the bytes of an open or completed bin. */
static uint64_t bin_bytes(const struct view *view, int age)
{
    if (age == 0) {
        return view->series->counter_bytes - view->series->opened_bytes;
    }
    return ff_search_load(view->slots, (uint32_t)((view->curr - (uint64_t)age) % view->kept));
}

/* Return the counter at the beginning of the bin of that age, or the present counter for the age -1. At most 49 bins
 * are subtracted. */
static uint64_t counter_bytes(const struct view *view, int age)
{
    if (age < 0) {
        return view->series->counter_bytes;
    }
    uint64_t counter = view->series->opened_bytes;
    uint64_t left = (uint64_t)age < view->curr ? (uint64_t)age : view->curr;
    uint32_t slot = left > 0 ? (uint32_t)(view->curr % view->kept) : 0;
    for (; left > 0; left--) {
        slot = (slot == 0 ? view->kept : slot) - 1;
        counter -= ff_search_load(view->slots, slot);
    }
    return counter;
}

uint64_t ff_search_delivered_bytes(const struct ff_search_readings *readings, const struct ff_search *state, int age)
{
    struct view view = view_of(readings, state, FF_SEARCH_DELIVERED, 0);

    return counter_bytes(&view, age);
}

/* Return the ages of the first and the last bin of a window, given the age of its index. */
static struct bounds bounds_of(const struct ff_search_readings *readings, int age)
{
    if (readings->windows == FF_SEARCH_WINDOWS_THROUGH_OPEN) {
        return (struct bounds){age + FF_SEARCH_WINDOW_BINS, age}; /* [search.windows.through-open] */
    }
    if (readings->windows == FF_SEARCH_WINDOWS_LIVE) {
        return (struct bounds){age + FF_SEARCH_WINDOW_BINS - 1, age}; /* [search.windows.live] */
    }
    return (struct bounds){age + FF_SEARCH_WINDOW_BINS, age + 1}; /* [search.windows.completed] */
}

/*
 * Return the bytes of the bins of ages first..last, as read from their slots: below 2^63. The sum is a difference of
 * two counters, or it contains bins that are read twice: at most eleven bins, each below 2^56 bytes.
 */
static uint64_t sum_bytes(const struct view *view, struct bounds ages)
{
    const struct ff_search_readings *readings = view->readings;
    int newest = readings->ring == FF_SEARCH_RING_OPEN_BIN ? 0 : 1;
    uint64_t aliased_bytes = 0;

    if (readings->kept_bins == FF_SEARCH_KEPT_BINS_NEWEST && ages.first > 1) {
        ages.first = 1; /* [search.bins.newest-only] */
    }
    if (readings->ring != FF_SEARCH_RING_AMPLE) {
        for (; ages.first >= ages.last && ages.first >= newest + FF_SEARCH_RING_BINS; ages.first--) {
            int slot_holds = newest + (ages.first - newest) % FF_SEARCH_RING_BINS;
            aliased_bytes += bin_bytes(view, slot_holds) >> view->scale; /* [search.windows.aliased] */
        }
    }
    if (ages.first < ages.last) {
        return aliased_bytes;
    }
    uint64_t end_bytes = counter_bytes(view, ages.last - 1);
    uint64_t start_bytes = counter_bytes(view, ages.first);
    if ((uint64_t)ages.first > view->curr && readings->before_bin_0 == FF_SEARCH_BEFORE_BIN_0_ZERO) {
        start_bytes = 0; /* [search.windows.before-bin-0] */
    }
    return aliased_bytes + (end_bytes >> view->scale) - (start_bytes >> view->scale);
}

static uint64_t window_bytes(const struct view *view, int age)
{
    return sum_bytes(view, bounds_of(view->readings, age));
}

/* Return a percentage of a number of bytes, rounded down; the product may exceed 64 bits. */
static uint64_t percent_of(uint64_t bytes, uint64_t percent)
{
    return bytes / 100 * percent + bytes % 100 * percent / 100;
}

/* Return a window shifted by a percentage of a bin: `dropped` leaves it, the new bin of `shifted` enters. */
static uint64_t by_terms(uint64_t window, uint64_t shifted, uint64_t dropped, uint64_t percent)
{
    uint64_t common = window - dropped;
    uint64_t kept = percent_of(dropped, 100 - percent); /* [search.interpolation.percent-terms] */

    return common + kept + percent_of(shifted - common, percent);
}

static struct fraction whole(uint64_t bytes)
{
    return (struct fraction){{0, bytes}, 1};
}

/*
 * Return the earlier window, given the age of its index. A window is below 2^63 bytes and the bin duration below 2^62
 * ticks, so their product is below 2^125.
 */
static struct fraction interpolated(const struct view *view, const struct ff_search *state, int age, uint64_t rest_ticks)
{
    const struct ff_search_readings *readings = view->readings;
    uint64_t window = window_bytes(view, age);

    if (readings->interpolation == FF_SEARCH_INTERPOLATION_NONE) {
        return whole(window);
    }
    bool backward = readings->interpolation == FF_SEARCH_INTERPOLATION_BACKWARD;
    uint64_t shifted = window_bytes(view, backward ? age + 1 : age - 1);
    struct ff_u128 stays = ff_mul_64_64(state->bin_ticks - rest_ticks, window);
    struct ff_u128 parts = ff_add_128(stays, ff_mul_64_64(rest_ticks, shifted));
    if (readings->fraction == FF_SEARCH_FRACTION_EXACT) {
        return (struct fraction){parts, state->bin_ticks}; /* [search.interpolation.exact] */
    }
    if (readings->fraction == FF_SEARCH_FRACTION_ROUNDED_DOWN) {
        /* A mean of two windows. */
        return whole(ff_wide_quotient(parts.hi, parts.lo, state->bin_ticks, &rest_ticks)); /* [search.interpolation.rounded-down] */
    }
    /* The remainder is below one bin duration: the percentage is below 100, and the quotient fits. */
    struct ff_u128 hundredfold = ff_mul_64_64(100, rest_ticks);
    uint64_t percent = ff_wide_quotient(hundredfold.hi, hundredfold.lo, state->bin_ticks, &rest_ticks);
    if (readings->fraction == FF_SEARCH_FRACTION_PERCENT) {
        /* In hundreds and units: (100 - f) S(prev) + f S(prev -/+ 1) would exceed 64 bits before the division. */
        uint64_t hundreds = (100 - percent) * (window / 100) + percent * (shifted / 100);
        uint64_t units = (100 - percent) * (window % 100) + percent * (shifted % 100);
        return whole(hundreds + units / 100); /* [search.interpolation.percent] */
    }
    struct bounds ages = bounds_of(readings, age);
    int leaving = backward ? ages.last : ages.first;
    return whole(by_terms(window, shifted, sum_bytes(view, (struct bounds){leaving, leaving}), percent));
}

uint64_t ff_search_shift_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t *rest_ticks)
{
    uint64_t rtt_ticks = FF_SEARCH_TICKS_PER_UNIT * ff_search_rtt_units(readings, &state->sample); /* below 20 * 2^59 */
    uint64_t shift = rtt_ticks / state->bin_ticks; /* [search.shift.round] */

    *rest_ticks = rtt_ticks % state->bin_ticks; /* below 7 * 2^59 */
    if (readings->shift == FF_SEARCH_SHIFT_NEAREST && 2 * *rest_ticks > state->bin_ticks) {
        shift++;
    }
    if (readings->shift == FF_SEARCH_SHIFT_NEAREST_UP && 2 * *rest_ticks >= state->bin_ticks) {
        shift++;
    }
    if (readings->shift_width == FF_SEARCH_SHIFT_WIDTH_EIGHT_BITS) {
        shift &= UINT8_MAX; /* [search.shift.width] */
    }
    if (shift < readings->shift_minimum_bins) {
        shift = readings->shift_minimum_bins; /* [search.shift.minimum] */
    }
    return shift;
}

unsigned ff_search_scale_bits(const struct ff_search_readings *readings, const struct ff_search *state)
{
    uint64_t largest = state->delivered.opened_bytes;
    unsigned scale = 0;

    if (readings->precision == FF_SEARCH_PRECISION_FULL) {
        return 0;
    }
    if (readings->compared == FF_SEARCH_COMPARED_SENT && ff_search_more(readings, state)->sent.opened_bytes > largest) {
        largest = ff_search_more(readings, state)->sent.opened_bytes;
    }
    if (readings->windows == FF_SEARCH_WINDOWS_LIVE) {
        largest = state->delivered.counter_bytes; /* [search.windows.shifted-live] */
    }
    while (largest >> scale >> SHIFTED_BITS > 0) {
        scale++; /* [search.windows.shifted] */
    }
    return scale;
}

/*
 * Integer form of the threshold: exit iff first * earlier >= second * later. The later window is a difference of
 * counters within eleven bins, below 11 * 2^56, and 50 * 2^62 * 11 * 2^56 < 2^128. Only the earlier window may reach
 * back before bin 0, up to 2^63 bytes. Its product saturates at the largest 128-bit number, which is larger than any
 * product of the later window.
 */
static bool reaches(const struct ff_search_readings *readings, struct fraction previous, uint64_t current_bytes)
{
    bool sent = readings->compared == FF_SEARCH_COMPARED_SENT;
    uint64_t first = 13;
    uint64_t second = sent ? 20 : 10;

    if (readings->difference == FF_SEARCH_DIFFERENCE_THIRTEEN_FIFTIETHS) {
        first = 37;
        second = sent ? 50 : 25;
    }
    struct ff_u128 earlier = ff_mul_128_64(previous.parts, first);
    struct ff_u128 later = ff_mul_128_64(ff_mul_64_64(previous.per_byte, current_bytes), second);
    if (readings->threshold == FF_SEARCH_THRESHOLD_MORE_THAN) {
        return ff_compare_128(earlier, later) > 0; /* [search.threshold.strict] */
    }
    return ff_compare_128(earlier, later) >= 0; /* [search.threshold.reached] */
}

/* The tests are in the order of spec/search/rules.md. */
enum ff_outcome ff_search_evaluate(const struct ff_search_readings *readings, const struct ff_search *state,
                                   struct ff_search_evaluation *evaluation)
{
    uint64_t rest_ticks;
    uint64_t shift = ff_search_shift_bins(readings, state, &rest_ticks);

    *evaluation = (struct ff_search_evaluation){shift, FF_NONE, FF_NONE};
    /* prev < 10 without a subtraction: a shift above curr would make it negative. The shift is below 2^64 / 7. */
    uint64_t needed = shift + FF_SEARCH_WINDOW_BINS;
    if (state->curr < needed || (readings->guard == FF_SEARCH_GUARD_MORE_THAN && state->curr == needed)) {
        return FF_OUTCOME_WARMING_UP; /* [search.guard.warming-up] */
    }
    if (shift > readings->shift_maximum_bins) {
        return FF_OUTCOME_RTT_INFLATED; /* [search.guard.rtt-inflated] */
    }
    if (readings->interpolation == FF_SEARCH_INTERPOLATION_FORWARD && shift == 0) {
        return FF_OUTCOME_RTT_BELOW_BIN; /* [search.guard.rtt-below-bin] */
    }
    unsigned scale = ff_search_scale_bits(readings, state);
    enum ff_search_kind kind = readings->compared == FF_SEARCH_COMPARED_SENT ? FF_SEARCH_SENT : FF_SEARCH_DELIVERED;
    struct view earlier = view_of(readings, state, kind, scale);
    struct view delivered = view_of(readings, state, FF_SEARCH_DELIVERED, scale);
    struct fraction previous = interpolated(&earlier, state, (int)shift, rest_ticks);
    uint64_t current = window_bytes(&delivered, 0);
    evaluation->current_bytes = current;
    /* The quotient is a mean of two windows: below 2^63. */
    evaluation->previous_bytes = ff_wide_quotient(previous.parts.hi, previous.parts.lo, previous.per_byte, &rest_ticks);
    if ((previous.parts.hi | previous.parts.lo) == 0) {
        return FF_OUTCOME_PREVIOUS_ZERO; /* [search.previous-zero] */
    }
    if (current == 0 && readings->current_zero == FF_SEARCH_CURRENT_ZERO_NO_DECISION) {
        return FF_OUTCOME_CURRENT_ZERO; /* [search.current-zero] */
    }
    if (reaches(readings, previous, current)) {
        return FF_OUTCOME_EXITED;
    }
    return FF_OUTCOME_BELOW_THRESHOLD; /* [search.threshold.below] */
}
