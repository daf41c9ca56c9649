/* Safe Retreat. Mirrors reference-py/src/firstflight/careful_resume_retreat.py. */
#include "firstflight/careful_resume/phases.h"

#include "firstflight/minmax.h"

static uint64_t floor_bytes(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                            const struct ff_newreno *base)
{
    if (readings->retreat_floor == FF_CAREFUL_RESUME_RETREAT_FLOOR_TWO_DATAGRAMS) {
        return ff_newreno_minimum_window_bytes(base);
    }
    return readings->retreat_floor == FF_CAREFUL_RESUME_RETREAT_FLOOR_INITIAL_WINDOW ? state->initial_window_bytes : 0;
}

void ff_resume_retreat(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state, uint64_t now_ns,
                       enum ff_trigger trigger, struct ff_resume_step *step)
{
    struct ff_newreno *base = &step->base;

    if (readings->saved_set == FF_CAREFUL_RESUME_SAVED_SET_DELETED) {
        state->saved = (struct ff_saved_set){0, 0, false}; /* [careful-resume.retreat.delete] */
    }
    uint64_t half_bytes = state->pipesize_bytes / 2; /* [careful-resume.retreat.window] */
    base->cwnd_bytes = ff_max(half_bytes, floor_bytes(readings, state, base));
    base->in_recovery = false;
    ff_newreno_forget_congestion(base);
    if (readings->growth_retreat == FF_CAREFUL_RESUME_GROWTH_RETREAT_NONE) {
        base->recovery_start_ns = now_ns; /* [careful-resume.retreat.recovery] */
    }
    if (readings->retreat_threshold == FF_CAREFUL_RESUME_RETREAT_THRESHOLD_WINDOW) {
        base->ssthresh_bytes = base->cwnd_bytes;
    }
    if (readings->base_reduction == FF_CAREFUL_RESUME_BASE_REDUCTION_ALSO) {
        base->ssthresh_bytes = ff_newreno_reduced_bytes(base, base->cwnd_bytes);
        base->cwnd_bytes = ff_max(base->ssthresh_bytes, ff_newreno_minimum_window_bytes(base));
    }
    if (state->marks.last_unvalidated == FF_NO_PACKET ||
        readings->retreat_end == FF_CAREFUL_RESUME_RETREAT_END_LAST_SENT) {
        state->marks.last_unvalidated = state->marks.sent; /* [careful-resume.retreat.mark] */
    }
    state->phase = FF_PHASE_SAFE_RETREAT;
    step->outcome = FF_OUTCOME_RETREATED;
    step->trigger = trigger;
}

/* Bound the threshold by what PipeSize has shown; a lower one stays. */
static void set_threshold(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                          struct ff_newreno *base)
{
    uint64_t bound_bytes = state->pipesize_bytes;

    if (readings->retreat_threshold == FF_CAREFUL_RESUME_RETREAT_THRESHOLD_WINDOW) {
        return;
    }
    if (readings->retreat_threshold == FF_CAREFUL_RESUME_RETREAT_THRESHOLD_BETA) {
        const struct ff_saved_path *used = &state->used; /* [careful-resume.retreat.threshold] */
        bound_bytes = ff_resume_share(bound_bytes, used->beta_numerator, used->beta_denominator, false);
    }
    /* The infinite threshold is larger than any bound. */
    if (base->ssthresh_bytes < bound_bytes) {
        bound_bytes = base->ssthresh_bytes; /* [careful-resume.retreat.threshold-lower] */
    }
    base->ssthresh_bytes = bound_bytes;
}

/* End Safe Retreat; the ACK that does so leaves the window alone. */
static void leave(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                  struct ff_resume_step *step)
{
    ff_resume_end(state); /* [careful-resume.retreat.end] */
    set_threshold(readings, state, &step->base);
    step->outcome = FF_OUTCOME_RETREAT_ENDED;
    step->trigger = FF_TRIGGER_EXIT_RECOVERY;
}

static bool is_over(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    if (readings->retreat_end == FF_CAREFUL_RESUME_RETREAT_END_NONE_OUTSTANDING) {
        return state->unvalidated_left_bytes == 0;
    }
    return ff_resume_reached(state->marks.acked, state->marks.last_unvalidated);
}

static void on_ack(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                   const struct ff_ack *ack, const struct ff_resume_normal *normal, struct ff_resume_step *step)
{
    ff_resume_acknowledge(readings, state, ack); /* [careful-resume.retreat.pipesize] */
    if (is_over(readings, state)) {
        leave(readings, state, step);
        return;
    }
    if (readings->growth_retreat == FF_CAREFUL_RESUME_GROWTH_RETREAT_BASE) {
        step->base = normal->base;
        step->outcome = normal->outcome;
        return;
    }
    step->outcome = FF_OUTCOME_WINDOW_KEPT; /* [careful-resume.retreat.no-growth] */
}

static void on_congestion(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                          const struct ff_event *event, struct ff_resume_step *step)
{
    if (event->kind == FF_EVENT_LOST) {
        (void)ff_resume_take_unvalidated(state, event->lost.packets, event->lost.run_count);
        if (readings->retreat_end == FF_CAREFUL_RESUME_RETREAT_END_NONE_OUTSTANDING && is_over(readings, state)) {
            leave(readings, state, step);
            return;
        }
    }
    if (readings->retreat_congestion == FF_CAREFUL_RESUME_RETREAT_CONGESTION_REDUCES) {
        step->base.cwnd_bytes = ff_max(ff_newreno_reduced_bytes(&step->base, step->base.cwnd_bytes),
                                       ff_newreno_minimum_window_bytes(&step->base));
        step->outcome = FF_OUTCOME_REDUCED;
        return;
    }
    step->outcome = FF_OUTCOME_ALREADY_REDUCED; /* [careful-resume.retreat.once] */
}

void ff_resume_on_retreat(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                          const struct ff_event *event, const struct ff_resume_normal *normal,
                          struct ff_resume_step *step)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        on_ack(readings, state, &event->ack, normal, step);
        return;
    case FF_EVENT_LOST:
    case FF_EVENT_CE:
        on_congestion(readings, state, event, step);
        return;
    case FF_EVENT_PERSISTENT_CONGESTION:
        if (readings->persistent == FF_CAREFUL_RESUME_PERSISTENT_STOPS) {
            ff_resume_stop(readings, state, normal, step);
            return;
        }
        step->outcome = FF_OUTCOME_WINDOW_KEPT;
        return;
    default:
        step->outcome = normal->outcome;
        return;
    }
}

void ff_resume_stop(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                    const struct ff_resume_normal *normal, struct ff_resume_step *step)
{
    bool retreating = state->phase == FF_PHASE_SAFE_RETREAT;

    step->base = normal->base; /* [careful-resume.persistent] */
    step->outcome = normal->outcome;
    if (retreating) {
        set_threshold(readings, state, &step->base); /* [careful-resume.persistent.threshold] */
    }
    ff_resume_end(state);
}
