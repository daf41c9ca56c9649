/* A whole controller. Mirrors reference-py/src/firstflight/controller.py. */
#include "firstflight/controller.h"

#include <stddef.h>

#include "firstflight/search/startup.h"
#include "firstflight/text.h"

/* Return what follows a text that another one begins with, NULL if it does not. */
static const char *after(const char *text, const char *beginning)
{
    while (*beginning != '\0') {
        if (*text++ != *beginning++) {
            return NULL;
        }
    }
    return text;
}

/* Return whether a profile is the named one, alone or with the suffix that puts it on CUBIC; write which. */
static bool is_named(const char *profile, const char *name, bool *on_cubic)
{
    const char *rest = after(profile, name);

    *on_cubic = rest != NULL && ff_same_text(rest, FF_SUFFIX_CUBIC);
    return *on_cubic || (rest != NULL && *rest == '\0');
}

static enum ff_status init_base(struct ff_controller *controller, const char *algorithm, const char *profile,
                                const struct ff_config *config)
{
    if (ff_same_text(algorithm, "slow-start")) {
        for (size_t i = 0; i < FF_NEWRENO_PROFILE_COUNT; i++) {
            if (ff_same_text(profile, ff_newreno_profiles[i].name)) {
                return ff_controller_init_slow_start(controller, &ff_newreno_profiles[i].readings, config);
            }
        }
    }
    if (ff_same_text(algorithm, "cubic")) {
        for (size_t i = 0; i < FF_CUBIC_PROFILE_COUNT; i++) {
            if (ff_same_text(profile, ff_cubic_profiles[i].name)) {
                return ff_controller_init_cubic(controller, &ff_cubic_profiles[i].readings, config);
            }
        }
    }
    return FF_ERR_UNKNOWN_PROFILE;
}

static enum ff_status init_startup(struct ff_controller *controller, const char *algorithm, const char *profile,
                                   const struct ff_config *config, bool *on_cubic)
{
    if (ff_same_text(algorithm, "search")) {
        for (size_t i = 0; i < FF_SEARCH_PROFILE_COUNT; i++) {
            if (is_named(profile, ff_search_profiles[i].name, on_cubic)) {
                return ff_controller_init_with(controller, &ff_search_profiles[i].readings, config);
            }
        }
    }
    if (ff_same_text(algorithm, "jumpstart")) {
        for (size_t i = 0; i < FF_JUMPSTART_PROFILE_COUNT; i++) {
            if (is_named(profile, ff_jumpstart_profiles[i].name, on_cubic)) {
                return ff_controller_init_jumpstart(controller, &ff_jumpstart_profiles[i].readings, config);
            }
        }
    }
    if (ff_same_text(algorithm, "careful-resume")) {
        for (size_t i = 0; i < FF_CAREFUL_RESUME_PROFILE_COUNT; i++) {
            if (is_named(profile, ff_careful_resume_profiles[i].name, on_cubic)) {
                return ff_controller_init_careful_resume(controller, &ff_careful_resume_profiles[i].readings, config);
            }
        }
    }
    if (ff_same_text(algorithm, "hystartpp")) {
        for (size_t i = 0; i < FF_HYSTARTPP_PROFILE_COUNT; i++) {
            if (is_named(profile, ff_hystartpp_profiles[i].name, on_cubic)) {
                return ff_controller_init_hystartpp(controller, &ff_hystartpp_profiles[i].readings, config);
            }
        }
    }
    if (ff_same_text(algorithm, "hystart")) {
        for (size_t i = 0; i < FF_HYSTART_PROFILE_COUNT; i++) {
            if (is_named(profile, ff_hystart_profiles[i].name, on_cubic)) {
                return ff_controller_init_hystart(controller, &ff_hystart_profiles[i].readings, config);
            }
        }
    }
    return FF_ERR_UNKNOWN_PROFILE;
}

enum ff_status ff_controller_init(struct ff_controller *controller, const char *algorithm, const char *profile,
                                  const struct ff_config *config)
{
    bool on_cubic = false;
    enum ff_status status = init_base(controller, algorithm, profile, config);

    if (status != FF_ERR_UNKNOWN_PROFILE) {
        return status;
    }
    status = init_startup(controller, algorithm, profile, config, &on_cubic);
    if (status == FF_OK && on_cubic) {
        const struct ff_cubic_profile *law = &ff_cubic_profiles[FF_CUBIC_PROFILE_RFC_9438];

        ff_controller_use_cubic(controller, &law->readings); /* [cubic.startup.compose] */
    }
    return status;
}

/* Begin with the base controller alone. */
static enum ff_status begin(struct ff_controller *controller, const struct ff_config *config)
{
    if (config->max_datagram_size_bytes < 1 || config->max_datagram_size_bytes > FF_DATAGRAM_MAX_BYTES ||
        config->initial_window_bytes > FF_WINDOW_MAX_BYTES) {
        return FF_ERR_DOMAIN;
    }
    ff_newreno_begin(&controller->base, config->max_datagram_size_bytes, config->initial_window_bytes);
    controller->t_ns = 0;
    controller->next_packet = 0;
    controller->algorithm = FF_ALGORITHM_SLOW_START;
    return FF_OK;
}

enum ff_status ff_controller_init_with(struct ff_controller *controller, const struct ff_search_readings *readings,
                                       const struct ff_config *config)
{
    if (readings != NULL && readings->shift_maximum_bins > FF_SEARCH_SHIFT_MAXIMUM_BINS) {
        return FF_ERR_DOMAIN; /* more bins than there is room for */
    }
    enum ff_status status = begin(controller, config);
    if (status == FF_OK && readings != NULL) {
        controller->algorithm = FF_ALGORITHM_SEARCH;
        controller->search_readings = *readings;
        ff_search_init(&controller->search_readings, ff_controller_search(controller));
    }
    return status;
}

enum ff_status ff_controller_init_jumpstart(struct ff_controller *controller, const struct ff_jumpstart_readings *readings,
                                            const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_JUMPSTART;
        controller->jumpstart_readings = *readings;
        ff_jumpstart_begin(&controller->jumpstart, &controller->base);
    }
    return status;
}

enum ff_status ff_controller_init_slow_start(struct ff_controller *controller, const struct ff_newreno_readings *readings,
                                             const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->base.growth = readings->growth;
    }
    return status;
}

enum ff_status ff_controller_init_cubic(struct ff_controller *controller, const struct ff_cubic_readings *readings,
                                        const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_CUBIC;
        ff_controller_use_cubic(controller, readings);
    }
    return status;
}

void ff_controller_use_cubic(struct ff_controller *controller, const struct ff_cubic_readings *readings)
{
    ff_newreno_use_cubic(&controller->base, readings);
}

/* The state of SEARCH below Careful Resume, NULL in readings without it. */
static struct ff_search *resumed_search(struct ff_controller *controller)
{
    if (controller->careful_resume_readings.search == FF_CAREFUL_RESUME_SEARCH_NONE) {
        return NULL;
    }
    return (struct ff_search *)controller->resumed_search.words;
}

enum ff_status ff_controller_init_careful_resume(struct ff_controller *controller,
                                                 const struct ff_careful_resume_readings *readings,
                                                 const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_CAREFUL_RESUME;
        controller->careful_resume_readings = *readings;
        ff_careful_resume_begin(&controller->careful_resume, &controller->base);
        struct ff_search *search = resumed_search(controller);
        if (search != NULL) {
            ff_search_init(ff_careful_resume_search_readings(), search);
        }
    }
    return status;
}

enum ff_status ff_controller_init_hystartpp(struct ff_controller *controller, const struct ff_hystartpp_readings *readings,
                                            const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_HYSTARTPP;
        controller->hystartpp_readings = *readings;
        ff_hystartpp_begin(&controller->hystartpp);
    }
    return status;
}

enum ff_status ff_controller_init_hystart(struct ff_controller *controller, const struct ff_hystart_readings *readings,
                                          const struct ff_config *config)
{
    enum ff_status status = begin(controller, config);

    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_HYSTART;
        controller->hystart_readings = *readings;
        ff_hystart_begin(&controller->hystart_readings, &controller->hystart);
    }
    return status;
}

struct ff_search *ff_controller_search(const struct ff_controller *controller)
{
    return (struct ff_search *)controller->search.words;
}

/* Return whether no number of the packets that are sent was sent before. */
static bool sends_new_packets(const struct ff_controller *controller, const struct ff_event *event)
{
    return event->kind != FF_EVENT_SENT || event->sent.packets[0].first >= controller->next_packet;
}

/* Return the answer of the algorithm; FF_ERR_DOMAIN as well if there is no such algorithm. */
static enum ff_status step_algorithm(struct ff_controller *controller, const struct ff_event *event,
                                     struct ff_observation *observation)
{
    struct ff_newreno *base = &controller->base;

    switch (controller->algorithm) {
    case FF_ALGORITHM_SLOW_START:
    case FF_ALGORITHM_CUBIC:
        ff_newreno_observe(base, ff_newreno_on_event(base, event), observation);
        observation->recovery_start_ns = base->recovery_start_ns;
        return FF_OK;
    case FF_ALGORITHM_SEARCH:
        return ff_search_startup_step(&controller->search_readings, ff_controller_search(controller), base, event,
                                      observation);
    case FF_ALGORITHM_JUMPSTART:
        ff_jumpstart_step(&controller->jumpstart_readings, &controller->jumpstart, base, event, observation);
        return FF_OK;
    case FF_ALGORITHM_CAREFUL_RESUME:
        return ff_careful_resume_step(&controller->careful_resume_readings, &controller->careful_resume,
                                      resumed_search(controller), base, event, observation);
    case FF_ALGORITHM_HYSTARTPP:
        ff_hystartpp_step(&controller->hystartpp_readings, &controller->hystartpp, base, event, observation);
        return FF_OK;
    case FF_ALGORITHM_HYSTART:
        ff_hystart_step(&controller->hystart_readings, &controller->hystart, base, event, observation);
        return FF_OK;
    }
    return FF_ERR_DOMAIN;
}

enum ff_status ff_controller_process(struct ff_controller *controller, const struct ff_event *event,
                                     struct ff_observation *observation)
{
    enum ff_status status = step_algorithm(controller, event, observation);
    if (status == FF_OK) {
        controller->t_ns = event->t_ns;
        if (event->kind == FF_EVENT_SENT) {
            controller->next_packet = event->sent.packets[event->sent.run_count - 1].last + 1;
        }
    }
    return status;
}

enum ff_status ff_controller_step(struct ff_controller *controller, const struct ff_event *event,
                                  struct ff_observation *observation)
{
    if (ff_event_check(event) != FF_OK || event->t_ns < controller->t_ns || !sends_new_packets(controller, event)) {
        return FF_ERR_DOMAIN;
    }
    return ff_controller_process(controller, event, observation);
}
