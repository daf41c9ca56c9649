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
    if (readings != NULL && readings->shift_maximum_bins > FF_SEARCH_SHIFT_MAXIMUM_BINS) {
        return FF_ERR_DOMAIN; /* more bins than there is room for */
    }
    ff_slow_start_begin(&controller->base, config->max_datagram_size_bytes, config->initial_window_bytes);
    controller->t_ns = 0;
    controller->readings = readings != NULL ? *readings : none;
    controller->searching = readings != NULL;
    if (controller->searching) {
        ff_search_init(&controller->readings, ff_controller_search(controller));
    }
    return FF_OK;
}

struct ff_search *ff_controller_search(const struct ff_controller *controller)
{
    return (struct ff_search *)controller->search.words;
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
            ff_search_on_persistent_congestion(&controller->readings, ff_controller_search(controller));
        }
        return ff_slow_start_on_persistent_congestion(base);
    case FF_EVENT_PTO:
        break;
    }
    return ff_slow_start_on_pto(base);
}

/* Let the base controller grow the window for an ACK on which SEARCH has decided. */
static void apply(const struct ff_search_readings *readings, struct ff_slow_start *base,
                  const struct ff_search_decision *decision, const struct ff_ack *ack)
{
    if (decision->exits) {
        base->cwnd_bytes = decision->exit.cwnd_bytes;
        if (decision->exit.ssthresh_bytes != FF_NONE) {
            base->ssthresh_bytes = decision->exit.ssthresh_bytes;
        }
        if (decision->exit.growth != FF_SEARCH_EXIT_GROWTH_AVOIDANCE) {
            return; /* [search.exit.growth] */
        }
    } else if (decision->outcome == FF_OUTCOME_EXITED && readings->lower == FF_SEARCH_LOWER_DRAIN) {
        return; /* [search.drain.no-growth] */
    }
    (void)ff_slow_start_on_ack(base, ack);
}

static enum ff_status on_ack_searching(struct ff_controller *controller, const struct ff_event *event,
                                       struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = &controller->readings;
    struct ff_search *search = ff_controller_search(controller);
    struct ff_slow_start *base = &controller->base;

    if (ff_slow_start_phase(base) != FF_PHASE_SLOW_START) {
        enum ff_status counted = ff_search_on_ack_elsewhere(readings, search, &event->ack);
        if (counted == FF_OK) {
            decision->outcome = on_event_base(controller, event);
        }
        return counted;
    }
    const struct ff_search_base view = {base->cwnd_bytes, ff_slow_start_minimum_window_bytes(base),
                                        base->max_datagram_size_bytes};
    enum ff_status status = ff_search_on_ack(readings, search, event->t_ns, &event->ack, &view, decision);
    if (status == FF_OK) {
        apply(readings, base, decision, &event->ack);
    }
    return status;
}

static enum ff_status on_event(struct ff_controller *controller, const struct ff_event *event,
                               struct ff_search_decision *decision)
{
    if (controller->searching && event->kind == FF_EVENT_ACK) {
        return on_ack_searching(controller, event, decision);
    }
    if (controller->searching && event->kind == FF_EVENT_SENT) {
        bool slow_start = ff_slow_start_phase(&controller->base) == FF_PHASE_SLOW_START;
        enum ff_status counted = ff_search_on_sent(&controller->readings, ff_controller_search(controller),
                                                   event->sent.bytes, slow_start);
        if (counted != FF_OK) {
            return counted;
        }
    }
    decision->outcome = on_event_base(controller, event);
    return FF_OK;
}

static void observe(const struct ff_controller *controller, const struct ff_search_decision *decision,
                    struct ff_observation *observation)
{
    const struct ff_slow_start *base = &controller->base;
    const struct ff_search *search = ff_controller_search(controller);
    const struct ff_search_evaluation *evaluation = &decision->evaluation;

    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = base->ssthresh_bytes;
    observation->phase = ff_slow_start_phase(base);
    observation->outcome = decision->outcome;
    observation->recovery_start_ns = FF_NONE;
    observation->bin = FF_NONE;
    observation->open_bin_bytes = FF_NONE;
    observation->target_bytes = FF_NONE;
    observation->shift_bins = decision->evaluated ? evaluation->shift_bins : FF_NONE;
    observation->current_bytes = decision->evaluated ? evaluation->current_bytes : FF_NONE;
    observation->previous_bytes = decision->evaluated ? evaluation->previous_bytes : FF_NONE;
    if (controller->searching) {
        observation->bin = search->curr;
        observation->open_bin_bytes = search->delivered.counter_bytes - search->delivered.opened_bytes;
        observation->target_bytes = ff_search_target_bytes(&controller->readings, search);
    } else {
        observation->recovery_start_ns = base->recovery_start_ns;
    }
}

enum ff_status ff_controller_step(struct ff_controller *controller, const struct ff_event *event,
                                  struct ff_observation *observation)
{
    struct ff_search_decision decision;

    if (ff_event_check(event) != FF_OK || event->t_ns < controller->t_ns) {
        return FF_ERR_DOMAIN;
    }
    decision.evaluated = false;
    enum ff_status status = on_event(controller, event, &decision);
    if (status != FF_OK) {
        return status;
    }
    controller->t_ns = event->t_ns;
    observe(controller, &decision, observation);
    return FF_OK;
}
