/* The pacing of the Unvalidated phase. Mirrors reference-py/src/firstflight/careful_resume/pacing.py. */
#include "firstflight/careful_resume/pacing.h"

#include "firstflight/minmax.h"

/* Return the time to send bytes at one jump per RTT, rounded up. */
static uint64_t duration_ns(const struct ff_careful_resume *state, uint64_t total_bytes, uint64_t rtt_ns)
{
    uint64_t divisor = ff_max(state->jump_bytes, 1); /* [careful-resume.pacing.schedule] */
    uint64_t wait_ns = ff_careful_resume_share(total_bytes, rtt_ns, divisor, true); /* [careful-resume.pacing.rounding] */

    return ff_min(wait_ns, FF_TIME_MAX_NS);
}

/* Return the release time of the next packet. */
static uint64_t release_ns(const struct ff_careful_resume *state)
{
    const struct ff_careful_resume_schedule *schedule = &state->schedule;

    /* Two times below 2^59. */
    return ff_min(schedule->t_ns + duration_ns(state, schedule->bytes, schedule->rtt_ns), FF_TIME_MAX_NS);
}

uint64_t ff_careful_resume_next_release_ns(const struct ff_careful_resume *state)
{
    if (state->phase != FF_PHASE_UNVALIDATED) {
        return FF_NONE;
    }
    return release_ns(state); /* [careful-resume.pacing] */
}

void ff_careful_resume_pace_sent(struct ff_careful_resume *state, const struct ff_base_state *base, uint64_t t_ns,
                                 const struct ff_sent *sent)
{
    struct ff_careful_resume_schedule *schedule = &state->schedule;
    uint64_t window_bytes = state->initial_window_bytes;
    uint64_t burst_bytes = window_bytes - ff_min(base->max_datagram_size_bytes, window_bytes);
    uint64_t lag_ns = duration_ns(state, burst_bytes, schedule->rtt_ns);

    if (t_ns > release_ns(state) + lag_ns) {
        schedule->t_ns = t_ns - lag_ns; /* [careful-resume.pacing.burst] */
        schedule->bytes = 0;
    }
    schedule->bytes = ff_careful_resume_saturated(schedule->bytes + sent->bytes);
}

void ff_careful_resume_pace_rtt(struct ff_careful_resume *state)
{
    uint64_t latest_ns = state->rtt.latest_ns; /* there is a sample: a jump needs one */

    if (latest_ns == state->schedule.rtt_ns) {
        return;
    }
    uint64_t next_ns = release_ns(state);
    state->schedule = (struct ff_careful_resume_schedule){next_ns, 0, latest_ns}; /* [careful-resume.pacing.new-sample] */
}
