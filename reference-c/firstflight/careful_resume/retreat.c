/* Safe Retreat. Mirrors reference-py/src/firstflight/careful_resume/retreat.py. */
#include "firstflight/careful_resume/phases.h"
#include "firstflight/minmax.h"

static uint64_t floor_bytes(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                            uint64_t two_datagrams_bytes)
{
    if (readings->retreat_floor == FF_CAREFUL_RESUME_RETREAT_FLOOR_TWO_DATAGRAMS) {
        return two_datagrams_bytes;
    }
    return state->initial_window_bytes;
}

struct ff_careful_resume_report ff_careful_resume_retreat(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_base_state *base,
                                                          uint64_t now_ns, enum ff_trigger trigger)
{
    state->saved = (struct ff_careful_resume_saved_set){0, 0, false}; /* [careful-resume.retreat.delete] */
    uint64_t two_datagrams_bytes = ff_newreno_minimum_window_bytes(base);
    uint64_t half_bytes = state->pipesize_bytes / 2; /* [careful-resume.retreat.window] [careful-resume.retreat.amount] */
    base->cwnd_bytes = ff_max(half_bytes, floor_bytes(readings, state, two_datagrams_bytes));
    base->in_recovery = false;
    ff_newreno_forget_congestion(base);
    base->recovery_start_ns = now_ns; /* [careful-resume.retreat.recovery] */
    if (state->marks.last_unvalidated == FF_NO_PACKET) {
        state->marks.last_unvalidated = state->marks.sent; /* [careful-resume.retreat.mark] */
    }
    state->phase = FF_PHASE_SAFE_RETREAT;
    return (struct ff_careful_resume_report){FF_OUTCOME_RETREATED, trigger};
}

/* Bound the threshold by PipeSize * Beta; a lower threshold stays. */
static void bound_threshold(const struct ff_careful_resume *state, struct ff_base_state *base)
{
    const struct ff_saved_path *used = &state->used; /* [careful-resume.retreat.threshold] */
    uint64_t bound_bytes =
        ff_careful_resume_share(state->pipesize_bytes, used->beta_numerator, used->beta_denominator, false);

    /* The infinite threshold is larger than any bound. */
    if (base->ssthresh_bytes < bound_bytes) {
        return; /* [careful-resume.retreat.threshold-lower] */
    }
    base->ssthresh_bytes = bound_bytes;
}

struct ff_careful_resume_report ff_careful_resume_stop(struct ff_careful_resume *state, struct ff_base_state *base,
                                                       const struct ff_careful_resume_normal *normal)
{
    struct ff_careful_resume_report report = ff_careful_resume_take_normal(base, normal); /* [careful-resume.persistent] */

    if (state->phase == FF_PHASE_SAFE_RETREAT) {
        bound_threshold(state, base); /* [careful-resume.persistent.threshold] */
    }
    ff_careful_resume_end(state);
    return report;
}

struct ff_careful_resume_report ff_careful_resume_retreat_on_lost(const struct ff_careful_resume_readings *readings,
                                                                  struct ff_careful_resume *state,
                                                                  struct ff_base_state *base, const struct ff_event *event)
{
    (void)ff_careful_resume_take_unvalidated(state, event->lost.packets, event->lost.run_count);
    return ff_careful_resume_retreat(readings, state, base, event->t_ns, FF_TRIGGER_PACKET_LOSS);
}

/* End Safe Retreat; the ACK that ends it does not change the window. */
static struct ff_careful_resume_report leave(struct ff_careful_resume *state, struct ff_base_state *base)
{
    ff_careful_resume_end(state); /* [careful-resume.retreat.end] */
    bound_threshold(state, base);
    return (struct ff_careful_resume_report){FF_OUTCOME_RETREAT_ENDED, FF_TRIGGER_EXIT_RECOVERY};
}

static bool ack_ends(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    if (readings->retreat_end == FF_CAREFUL_RESUME_RETREAT_END_NONE_OUTSTANDING) {
        return state->unvalidated_left_bytes == 0;
    }
    return ff_careful_resume_reached(state->marks.acked, state->marks.last_unvalidated);
}

/* Return whether a loss ends Safe Retreat: in the reading none_outstanding, when no unvalidated bytes are left. */
static bool loss_ends(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    return readings->retreat_end == FF_CAREFUL_RESUME_RETREAT_END_NONE_OUTSTANDING && state->unvalidated_left_bytes == 0;
}

static struct ff_careful_resume_report on_ack(const struct ff_careful_resume_readings *readings,
                                              struct ff_careful_resume *state, struct ff_base_state *base,
                                              const struct ff_ack *ack)
{
    ff_careful_resume_acknowledge(readings, state, ack); /* [careful-resume.retreat.pipesize] */
    if (ack_ends(readings, state)) {
        return leave(state, base);
    }
    return (struct ff_careful_resume_report){FF_OUTCOME_WINDOW_KEPT, FF_TRIGGER_NONE}; /* [careful-resume.retreat.no-growth] */
}

static struct ff_careful_resume_report on_congestion(const struct ff_careful_resume_readings *readings,
                                                     struct ff_base_state *base)
{
    if (readings->retreat_congestion == FF_CAREFUL_RESUME_RETREAT_CONGESTION_REDUCES) {
        uint64_t reduced_bytes = ff_newreno_reduced_bytes(base, base->cwnd_bytes);
        base->cwnd_bytes = ff_max(reduced_bytes, ff_newreno_minimum_window_bytes(base));
        return (struct ff_careful_resume_report){FF_OUTCOME_REDUCED, FF_TRIGGER_NONE};
    }
    return (struct ff_careful_resume_report){FF_OUTCOME_ALREADY_REDUCED, FF_TRIGGER_NONE}; /* [careful-resume.retreat.once] */
}

static struct ff_careful_resume_report on_lost(const struct ff_careful_resume_readings *readings,
                                               struct ff_careful_resume *state, struct ff_base_state *base,
                                               const struct ff_lost *lost)
{
    (void)ff_careful_resume_take_unvalidated(state, lost->packets, lost->run_count);
    if (loss_ends(readings, state)) {
        return leave(state, base);
    }
    if (lost->pmtu_probe) {
        return (struct ff_careful_resume_report){FF_OUTCOME_UNCHANGED, FF_TRIGGER_NONE}; /* [careful-resume.pmtu-probe] */
    }
    return on_congestion(readings, base);
}

struct ff_careful_resume_report ff_careful_resume_on_retreat(const struct ff_careful_resume_readings *readings,
                                                             struct ff_careful_resume *state, struct ff_base_state *base,
                                                             const struct ff_event *event,
                                                             const struct ff_careful_resume_normal *normal)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, &event->ack);
    case FF_EVENT_LOST:
        return on_lost(readings, state, base, &event->lost);
    case FF_EVENT_CE:
        return on_congestion(readings, base);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_careful_resume_stop(state, base, normal);
    default:
        return (struct ff_careful_resume_report){normal->outcome, FF_TRIGGER_NONE};
    }
}
