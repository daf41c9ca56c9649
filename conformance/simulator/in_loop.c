/* The controller in the loop: returns a window after every event, and reports turns and the summary. */
#include "flow.h"

const struct sim_watch sim_nobody = {0};

/* Create the named controller, or the window of the thesis if `profile` is NULL. Outside controllers exist already. */
void sim_in_loop_begin(struct sim_in_loop *loop, struct sim_memory *memory, const char *algorithm, const char *profile,
                       const struct sim_transfer *transfer)
{
    struct ff_config config = {transfer->max_datagram_size_bytes, transfer->initial_window_bytes};

    loop->memory = memory;
    loop->of_thesis = profile == NULL;
    if (loop->outside != NULL) {
        loop->cwnd_bytes = loop->outside->initial_window_bytes;
        loop->samples_rate = loop->outside->samples_rate;
    } else if (loop->of_thesis) {
        sim_thesis_begin(&loop->thesis, algorithm, config.max_datagram_size_bytes, config.initial_window_bytes);
        loop->cwnd_bytes = loop->thesis.cwnd_bytes;
    } else if (ff_controller_init(&loop->model, algorithm, profile, &config) == FF_OK) {
        loop->cwnd_bytes = loop->model.base.cwnd_bytes;
        loop->samples_rate = ff_controller_samples_rate(&loop->model);
    } else {
        sim_raise(memory, SIM_REFUSED);
    }
    loop->phase = SIM_NONE;
    loop->first_loss_ns = SIM_NONE;
    loop->summary = (struct sim_summary){.slow_start_ended_ns = SIM_NONE};
}

static void summarize(struct sim_summary *summary, uint64_t t_ns, const struct ff_observation *seen)
{
    if (summary->events++ == 0) {
        summary->began_ns = t_ns;
    }
    summary->ended_ns = t_ns;
    summary->final_cwnd_bytes = seen->cwnd_bytes;
    if (seen->cwnd_bytes > summary->largest_cwnd_bytes) {
        summary->largest_cwnd_bytes = seen->cwnd_bytes;
    }
    if (summary->slow_start_ended_ns == SIM_NONE && ff_outcome_exits(seen->outcome)) {
        summary->slow_start_ended_ns = t_ns;
        summary->ended_by = (uint64_t)seen->outcome;
    }
}

/* Return whether an outcome is reported even without a change of phase (TURNS in Python). */
static bool is_turn(enum ff_outcome outcome)
{
    return outcome == FF_OUTCOME_EXITED || outcome == FF_OUTCOME_REDUCED || outcome == FF_OUTCOME_COLLAPSED ||
           outcome == FF_OUTCOME_DRAINED || outcome == FF_OUTCOME_JUMPED || outcome == FF_OUTCOME_JUMP_BEGUN;
}

static void note(struct sim_in_loop *loop, uint64_t t_ns, const struct ff_observation *seen)
{
    uint64_t phase = (uint64_t)seen->phase, outcome = (uint64_t)seen->outcome;

    if (phase != loop->phase || is_turn(seen->outcome)) {
        struct sim_turn turn = {t_ns, phase, outcome, seen->cwnd_bytes, loop->cwnd_bytes};
        loop->phase = phase;
        if (loop->watch->turn != NULL) {
            loop->watch->turn(loop->watch->context, loop->flow, &turn);
        }
    }
}

static struct sim_answer ask_outside(struct sim_in_loop *loop, const struct ff_event *event)
{
    struct sim_answer answer = {.next_release_ns = FF_NONE};

    loop->summary.events++;
    if (!loop->outside->on_event(loop->outside->context, event, &answer)) {
        sim_raise(loop->memory, SIM_ENDED);
    }
    return answer;
}

/* Pass an event to the controller and return its answer. */
struct sim_answer sim_in_loop_on_event(struct sim_in_loop *loop, const struct ff_event *event)
{
    const struct sim_watch *watch = loop->watch;
    struct ff_observation seen;

    if (loop->outside != NULL) {
        return ask_outside(loop, event);
    }
    if (loop->of_thesis) {
        if (watch->event != NULL) {
            watch->event(watch->context, loop->flow, event, NULL);
        }
        return sim_thesis_on_event(&loop->thesis, event);
    }
    bool refused = ff_controller_step(&loop->model, event, &seen) != FF_OK;
    if (watch->event != NULL) {
        watch->event(watch->context, loop->flow, event, refused ? NULL : &seen);
    }
    if (refused) {
        sim_raise(loop->memory, SIM_REFUSED);
    }
    if (loop->first_loss_ns == SIM_NONE && event->kind == FF_EVENT_LOST) {
        loop->first_loss_ns = event->t_ns;
    }
    summarize(&loop->summary, event->t_ns, &seen);
    note(loop, event->t_ns, &seen);
    loop->cwnd_bytes = seen.cwnd_bytes;
    bool in_slow_start = seen.phase == FF_PHASE_SLOW_START || seen.phase == FF_PHASE_CONSERVATIVE_SLOW_START ||
                         seen.phase == FF_PHASE_STARTUP;
    return (struct sim_answer){seen.cwnd_bytes, seen.next_release_ns, in_slow_start};
}
