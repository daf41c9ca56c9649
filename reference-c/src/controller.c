/* A whole controller. Mirrors reference-py/src/firstflight/controller.py. */
#include "firstflight/controller.h"

#include <stddef.h>

static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

enum ff_status ff_controller_init(struct ff_controller *controller, const char *algorithm, const char *profile,
                                  const struct ff_config *config)
{
    if (same_text(algorithm, "slow-start") && same_text(profile, "rfc-9002")) {
        return ff_controller_init_with(controller, NULL, config);
    }
    if (same_text(algorithm, "search")) {
        for (size_t i = 0; i < FF_SEARCH_PROFILE_COUNT; i++) {
            if (same_text(profile, ff_search_profiles[i].name)) {
                return ff_controller_init_with(controller, &ff_search_profiles[i].readings, config);
            }
        }
    }
    return FF_ERR_UNKNOWN_PROFILE;
}

enum ff_status ff_controller_init_with(struct ff_controller *controller, const struct ff_search_readings *readings,
                                       const struct ff_config *config)
{
    static const struct ff_search_readings none;

    if (config->max_datagram_size_bytes < 1 || config->max_datagram_size_bytes > FF_DATAGRAM_MAX_BYTES ||
        config->initial_window_bytes > FF_WINDOW_MAX_BYTES) {
        return FF_ERR_DOMAIN;
    }
    ff_slow_start_begin(&controller->base, config->max_datagram_size_bytes, config->initial_window_bytes);
    ff_search_begin(&controller->search);
    controller->t_ns = 0;
    controller->readings = readings != NULL ? *readings : none;
    controller->searching = readings != NULL;
    return FF_OK;
}

static enum ff_outcome on_event_base(struct ff_controller *controller, const struct ff_event *event)
{
    struct ff_slow_start *base = &controller->base;

    switch (event->kind) {
    case FF_EVENT_SENT:
        return ff_slow_start_on_sent(base);
    case FF_EVENT_ACK:
        return ff_slow_start_on_ack(base, &event->ack);
    case FF_EVENT_LOST:
        return ff_slow_start_on_lost(base, event->t_ns, &event->lost);
    case FF_EVENT_CE:
        return ff_slow_start_on_ce(base, event->t_ns, &event->ce);
    case FF_EVENT_PERSISTENT_CONGESTION:
        if (controller->searching) {
            ff_search_on_persistent_congestion(&controller->readings, &controller->search);
        }
        return ff_slow_start_on_persistent_congestion(base);
    case FF_EVENT_PTO:
        break;
    }
    return ff_slow_start_on_pto(base);
}

/* Let the base controller grow the window for an ACK on which SEARCH has decided. */
static void apply(struct ff_slow_start *base, const struct ff_search_decision *decision, const struct ff_ack *ack)
{
    if (decision->evaluation.outcome == FF_OUTCOME_EXITED) {
        base->cwnd_bytes = decision->exit.cwnd_bytes;
        base->ssthresh_bytes = decision->exit.ssthresh_bytes;
        if (decision->exit.growth != FF_SEARCH_EXIT_GROWTH_AVOIDANCE) {
            return; /* [search.exit.growth] */
        }
    }
    (void)ff_slow_start_on_ack(base, ack);
}

static enum ff_status on_ack_searching(struct ff_controller *controller, const struct ff_event *event,
                                       struct ff_search_evaluation *evaluation)
{
    struct ff_slow_start *base = &controller->base;
    struct ff_search_decision decision;

    if (ff_slow_start_phase(base) != FF_PHASE_SLOW_START) {
        evaluation->outcome = on_event_base(controller, event); /* [search.slow-start-only] */
        return FF_OK;
    }
    enum ff_status status =
        ff_search_on_ack(&controller->readings, &controller->search, event->t_ns, &event->ack, base->cwnd_bytes,
                         ff_slow_start_minimum_window_bytes(base), &decision);
    if (status == FF_OK) {
        apply(base, &decision, &event->ack);
        *evaluation = decision.evaluation;
    }
    return status;
}

static void observe(const struct ff_controller *controller, const struct ff_search_evaluation *evaluation,
                    struct ff_observation *observation)
{
    const struct ff_slow_start *base = &controller->base;
    const struct ff_search *search = &controller->search;

    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = base->ssthresh_bytes;
    observation->phase = ff_slow_start_phase(base);
    observation->outcome = evaluation->outcome;
    observation->recovery_start_ns = controller->searching ? FF_NONE : base->recovery_start_ns;
    observation->bin = controller->searching ? search->curr : FF_NONE;
    observation->open_bin_bytes = controller->searching ? search->bins[search->slot] : FF_NONE;
    observation->shift_bins = evaluation->shift_bins;
    observation->current_bytes = evaluation->current_bytes;
    observation->previous_bytes = evaluation->previous_bytes;
}

enum ff_status ff_controller_step(struct ff_controller *controller, const struct ff_event *event,
                                  struct ff_observation *observation)
{
    struct ff_search_evaluation evaluation = {FF_OUTCOME_UNCHANGED, FF_NONE, FF_NONE, FF_NONE};

    if (ff_event_check(event) != FF_OK || event->t_ns < controller->t_ns) {
        return FF_ERR_DOMAIN;
    }
    if (controller->searching && event->kind == FF_EVENT_ACK) {
        enum ff_status status = on_ack_searching(controller, event, &evaluation);
        if (status != FF_OK) {
            return status;
        }
    } else {
        evaluation.outcome = on_event_base(controller, event);
    }
    controller->t_ns = event->t_ns;
    observe(controller, &evaluation, observation);
    return FF_OK;
}
