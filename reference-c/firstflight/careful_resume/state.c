/* The state of Careful Resume, and functions shared by its phases. Mirrors
 * reference-py/src/firstflight/careful_resume/state.py. */
#include "firstflight/careful_resume/state.h"

#include "firstflight/minmax.h"
#include "firstflight/wide.h"

struct ff_careful_resume_report ff_careful_resume_take_normal(struct ff_base_state *base,
                                                              const struct ff_careful_resume_normal *normal)
{
    *base = normal->base;
    return (struct ff_careful_resume_report){normal->outcome, FF_TRIGGER_NONE};
}

uint64_t ff_careful_resume_saturated(uint64_t total_bytes)
{
    return ff_min(total_bytes, FF_WINDOW_MAX_BYTES);
}

uint64_t ff_careful_resume_share(uint64_t value, uint64_t factor, uint64_t divisor, bool up)
{
    uint64_t high;
    uint64_t rest;
    uint64_t low = ff_wide_product(value, factor, &high);

    if (high >= divisor) {
        return UINT64_MAX;
    }
    uint64_t quotient = ff_wide_quotient(high, low, divisor, &rest);
    return up && rest > 0 && quotient < UINT64_MAX ? quotient + 1 : quotient;
}

uint64_t ff_careful_resume_highest(uint64_t mark, uint64_t packet)
{
    return mark == FF_NO_PACKET || packet > mark ? packet : mark;
}

bool ff_careful_resume_reached(uint64_t mark, uint64_t packet)
{
    return mark != FF_NO_PACKET && packet != FF_NO_PACKET && mark >= packet;
}

uint64_t ff_careful_resume_bytes_between(const struct ff_run *runs, size_t run_count, uint64_t first, uint64_t last)
{
    uint64_t sum_bytes = 0;

    for (size_t i = 0; i < run_count; i++) {
        uint64_t from = ff_max(runs[i].first, first);
        uint64_t to = ff_min(runs[i].last, last);
        if (from <= to) {
            /* Part of a run; an event has less than 2^48 bytes. */
            sum_bytes += (to - from + 1) * runs[i].size_bytes;
        }
    }
    return sum_bytes;
}

uint64_t ff_careful_resume_take_unvalidated(struct ff_careful_resume *state, const struct ff_run *runs, size_t run_count)
{
    const struct ff_careful_resume_marks *marks = &state->marks;

    if (marks->first_unvalidated == FF_NO_PACKET || marks->last_unvalidated == FF_NO_PACKET) {
        return 0;
    }
    uint64_t of_phase = ff_careful_resume_bytes_between(runs, run_count, marks->first_unvalidated, marks->last_unvalidated);
    state->unvalidated_left_bytes -= ff_min(of_phase, state->unvalidated_left_bytes);
    return of_phase;
}

void ff_careful_resume_acknowledge(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                   const struct ff_ack *ack)
{
    uint64_t of_phase = ff_careful_resume_take_unvalidated(state, ack->packets, ack->run_count);
    uint64_t counted;

    if (readings->pipesize_counts == FF_CAREFUL_RESUME_PIPESIZE_COUNTS_ALL) {
        counted = ack->bytes; /* [careful-resume.pipesize.all] */
    } else {
        counted = of_phase; /* [careful-resume.pipesize.unvalidated-only] */
    }
    /* Below 2^62 and below 2^48. */
    state->pipesize_bytes = ff_careful_resume_saturated(state->pipesize_bytes + counted);
}

void ff_careful_resume_end(struct ff_careful_resume *state)
{
    state->phase = FF_PHASE_NORMAL; /* [careful-resume.end] */
    state->saved.in_use = false;
    state->round_trip = (struct ff_careful_resume_round){FF_NO_PACKET, 0, false};
}

bool ff_careful_resume_rtt_too_low(const struct ff_careful_resume_readings *readings, uint64_t rtt_ns,
                                   const struct ff_saved_path *used)
{
    if (rtt_ns == FF_NO_RTT_NS) {
        return false;
    }
    /* RTTs are below 2^59. */
    if (2 * rtt_ns == used->saved_rtt_ns) {
        return readings->rtt_low == FF_CAREFUL_RESUME_RTT_LOW_AT_HALF;
    }
    return 2 * rtt_ns < used->saved_rtt_ns;
}

bool ff_careful_resume_rtt_too_high(uint64_t rtt_ns, const struct ff_saved_path *used)
{
    /* RTTs are below 2^59, so ten times an RTT is below 2^63. */
    return rtt_ns != FF_NO_RTT_NS && rtt_ns > 10 * used->saved_rtt_ns;
}
