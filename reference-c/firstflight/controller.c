/* A whole controller. Mirrors reference-py/src/firstflight/controller.py. */
#include "firstflight/controller.h"

#include <stddef.h>

#include "firstflight/domain.h"
#include "firstflight/rare.h"
#include "firstflight/search/startup.h"
#include "firstflight/text.h"

/* Return the rest of a text after a prefix, or NULL if it does not start with the prefix. */
static const char *after(const char *text, const char *beginning)
{
    while (*beginning != '\0') {
        if (*text++ != *beginning++) {
            return NULL;
        }
    }
    return text;
}

/* Return whether a profile is the named profile without a suffix; write the suffix. */
static bool is_named_alone(const char *profile, const char *name, const char **suffix)
{
    *suffix = after(profile, name);
    return *suffix != NULL && **suffix == '\0';
}

/* Return whether a profile is the named profile, alone or with the suffix for CUBIC; write the suffix. */
static bool is_named(const char *profile, const char *name, const char **suffix)
{
    return is_named_alone(profile, name, suffix) || (*suffix != NULL && ff_same_text(*suffix, FF_SUFFIX_CUBIC));
}

/* Like is_named for a profile of SEARCH, which may also have the suffix for Hybla. */
static bool is_named_search(const char *profile, const char *name, const char **suffix)
{
    return is_named(profile, name, suffix) || (*suffix != NULL && ff_same_text(*suffix, FF_SUFFIX_HYBLA));
}

/* Initialise by name; write the suffix of the profile. */
static enum ff_status init_named(struct ff_controller *controller, const char *algorithm, const char *profile,
                                 const struct ff_config *config, const char **suffix)
{
#define FF_NAMED(package, PACKAGE, text, init, is_it)                                  \
    if (ff_same_text(algorithm, text)) {                                               \
        for (size_t i = 0; i < FF_##PACKAGE##_PROFILE_COUNT; i++) {                    \
            if (is_it(profile, ff_##package##_profiles[i].name, suffix)) {             \
                return init(controller, &ff_##package##_profiles[i].readings, config); \
            }                                                                          \
        }                                                                              \
    }
#define FF_NAMED_BASE(package, PACKAGE, text, PROFILE) \
    FF_NAMED(package, PACKAGE, text, ff_controller_init_##package, is_named_alone)
#define FF_NAMED_STARTUP(package, PACKAGE, text) \
    FF_NAMED(package, PACKAGE, text, ff_controller_init_##package, is_named)

    FF_NAMED(newreno, NEWRENO, "slow-start", ff_controller_init_slow_start, is_named_alone)
    FF_BASES(FF_NAMED_BASE)
    FF_NAMED(search, SEARCH, "search", ff_controller_init_search, is_named_search)
    FF_NAMED_STARTUP(careful_resume, CAREFUL_RESUME, "careful-resume")
    FF_STARTUPS(FF_NAMED_STARTUP)
    return FF_ERR_UNKNOWN_PROFILE;
}

enum ff_status ff_controller_init(struct ff_controller *controller, const char *algorithm, const char *profile,
                                  const struct ff_config *config)
{
    const char *suffix = "";
    enum ff_status status = init_named(controller, algorithm, profile, config, &suffix);

    if (status == FF_OK) {
#define FF_CARRY(package, PACKAGE, text, PROFILE)                                                             \
    if (ff_same_text(suffix, "+" text)) {                                                                     \
        const struct ff_##package##_profile *found = &ff_##package##_profiles[FF_##PACKAGE##_PROFILE_##PROFILE]; \
                                                                                                              \
        ff_newreno_use_rules(&controller->base, FF_BASE_##PACKAGE);                                           \
        ff_##package##_carry(&controller->base.rules_state.package, &found->readings);                        \
    }
        FF_BASES(FF_CARRY)
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
    controller->initial_window_bytes = config->initial_window_bytes;
    controller->path_start_ns = 0;
    controller->algorithm = FF_ALGORITHM_SLOW_START;
    return FF_OK;
}

enum ff_status ff_controller_init_search(struct ff_controller *controller, const struct ff_search_readings *readings,
                                         const struct ff_config *config)
{
    if (readings->shift_maximum_bins > FF_SEARCH_SHIFT_MAXIMUM_BINS) {
        return FF_ERR_DOMAIN; /* more bins than the state has room for */
    }
    enum ff_status status = begin(controller, config);
    if (status == FF_OK) {
        controller->algorithm = FF_ALGORITHM_SEARCH;
        controller->search_readings = *readings;
        ff_search_begin(&controller->search_readings, ff_controller_search(controller));
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

#define FF_INIT_BASE(package, PACKAGE, text, PROFILE)                                                                  \
    void ff_controller_use_##package(struct ff_controller *controller, const struct ff_##package##_readings *readings) \
    {                                                                                                                  \
        ff_newreno_use_rules(&controller->base, FF_BASE_##PACKAGE);                                                    \
        ff_##package##_begin(&controller->base.rules_state.package, readings);                                         \
    }                                                                                                                  \
    enum ff_status ff_controller_init_##package(struct ff_controller *controller,                                      \
                                                const struct ff_##package##_readings *readings,                        \
                                                const struct ff_config *config)                                        \
    {                                                                                                                  \
        enum ff_status status = begin(controller, config);                                                             \
                                                                                                                       \
        if (status == FF_OK) {                                                                                         \
            controller->algorithm = FF_ALGORITHM_##PACKAGE;                                                            \
            ff_controller_use_##package(controller, readings);                                                         \
        }                                                                                                              \
        return status;                                                                                                 \
    }
FF_BASES(FF_INIT_BASE)

/* Return the state of SEARCH below Careful Resume, or NULL in readings without it. */
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
            ff_search_begin(ff_careful_resume_search_readings(), search);
        }
    }
    return status;
}

#define FF_INIT(package, PACKAGE, text)                                                                     \
    enum ff_status ff_controller_init_##package(struct ff_controller *controller,                           \
                                                const struct ff_##package##_readings *readings,             \
                                                const struct ff_config *config)                             \
    {                                                                                                       \
        enum ff_status status = begin(controller, config);                                                  \
                                                                                                            \
        if (status == FF_OK) {                                                                              \
            controller->algorithm = FF_ALGORITHM_##PACKAGE;                                                 \
            controller->package##_readings = *readings;                                                     \
            ff_##package##_begin(&controller->package##_readings, &controller->package, &controller->base); \
        }                                                                                                   \
        return status;                                                                                      \
    }
FF_STARTUPS(FF_INIT)

bool ff_controller_samples_rate(const struct ff_controller *controller)
{
    switch (controller->algorithm) {
    /* --- sampling: generated by `make generate`, do not edit --- */
    case FF_ALGORITHM_BBR:
        return true;
    /* --- end --- */
    default:
        return false;
    }
}

struct ff_search *ff_controller_search(const struct ff_controller *controller)
{
    return (struct ff_search *)controller->search.words;
}

/* Return whether all packets sent have new packet numbers. */
static bool sends_new_packets(const struct ff_controller *controller, const struct ff_event *event)
{
    return event->kind != FF_EVENT_SENT || event->sent.packets[0].first >= controller->next_packet;
}

/* Process an event with the base controller alone. */
static void step_base(struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = ff_newreno_on_event(base, event);

    if (observation != NULL) {
        ff_newreno_observe(base, outcome, observation);
        observation->recovery_start_ns = base->recovery_start_ns;
    }
}

/* Process an event with the algorithm; FF_ERR_DOMAIN also for an unknown algorithm. */
static inline enum ff_status step_algorithm(struct ff_controller *controller, const struct ff_event *event,
                                     struct ff_observation *observation)
{
    struct ff_base_state *base = &controller->base;

    switch (controller->algorithm) {
    case FF_ALGORITHM_SLOW_START:
#define FF_CASE_BASE(package, PACKAGE, text, PROFILE) case FF_ALGORITHM_##PACKAGE:
        FF_BASES(FF_CASE_BASE)
        step_base(base, event, observation);
        return FF_OK;
    case FF_ALGORITHM_SEARCH:
        return ff_search_startup_step(&controller->search_readings, ff_controller_search(controller), base, event,
                                      observation);
    case FF_ALGORITHM_CAREFUL_RESUME:
        return ff_careful_resume_step(&controller->careful_resume_readings, &controller->careful_resume,
                                      resumed_search(controller), base, event, observation);
#define FF_STEP(package, PACKAGE, text)                                                                       \
    case FF_ALGORITHM_##PACKAGE:                                                                              \
        ff_##package##_step(&controller->package##_readings, &controller->package, base, event, observation); \
        return FF_OK;
        FF_STARTUPS(FF_STEP)
    }
    return FF_ERR_DOMAIN;
}

/* Return whether a path change resets the controller. Careful Resume has its own rules for the event. */
static inline bool resets(const struct ff_controller *controller)
{
    return controller->algorithm != FF_ALGORITHM_CAREFUL_RESUME;
}

/* Return whether the event has packets that are not in flight. */
static inline bool is_not_in_flight(const struct ff_event *event)
{
    return (event->kind == FF_EVENT_SENT && event->sent.not_in_flight) ||
           (event->kind == FF_EVENT_ACK && event->ack.not_in_flight);
}

/*
 * Process an event that changes nothing by itself: a path change, or an expired probe timer in Careful Resume.
 * Careful Resume checks at any event whether its phase has ended.
 */
FF_RARE static enum ff_status step_ignored(struct ff_controller *controller, const struct ff_event *event,
                                           struct ff_observation *observation)
{
    struct ff_event ignored = {.kind = FF_EVENT_PATH_CHANGE, .t_ns = event->t_ns};

    if (!resets(controller)) {
        ignored.kind = FF_EVENT_PTO;
    }
    return step_algorithm(controller, &ignored, observation); /* [slow-start.not-in-flight] */
}

/* Begin the startup algorithm anew. */
static void begin_startup(struct ff_controller *controller)
{
    switch (controller->algorithm) {
    case FF_ALGORITHM_SEARCH:
        ff_search_begin(&controller->search_readings, ff_controller_search(controller)); /* [slow-start.path.startup] */
        return;
#define FF_BEGIN(package, PACKAGE, text)                                                                \
    case FF_ALGORITHM_##PACKAGE:                                                                        \
        ff_##package##_begin(&controller->package##_readings, &controller->package, &controller->base); \
        return;
        FF_STARTUPS(FF_BEGIN)
    default:
        return; /* base controller alone */
    }
}

/* Reset the controller to its initial values. */
FF_RARE static enum ff_status begin_path(struct ff_controller *controller, const struct ff_event *event,
                                         struct ff_observation *observation)
{
    ff_newreno_reset(&controller->base, controller->initial_window_bytes);
    controller->path_start_ns = event->t_ns;
    begin_startup(controller);
    enum ff_status status = step_algorithm(controller, event, observation);
    if (status == FF_OK && observation != NULL) {
        observation->outcome = FF_OUTCOME_PATH_CHANGED;
    }
    return status;
}

/* Skip the runs sent before the path began; return whether no run remains. */
static bool leave_out_old(const struct ff_run **packets, size_t *run_count, uint64_t *bytes, uint64_t path_start_ns)
{
    while (*run_count > 0 && (*packets)->sent_t_ns <= path_start_ns) {
        *bytes -= ff_run_count(*packets) * (*packets)->size_bytes; /* [slow-start.path.old-packets] */
        *packets += 1;
        *run_count -= 1;
    }
    return *run_count == 0;
}

/*
 * Return the event without packets of the old path; a path change, which algorithms ignore, if no packet remains.
 * `kept` is the storage of the returned event.
 */
static const struct ff_event *of_this_path(const struct ff_event *event, uint64_t path_start_ns, struct ff_event *kept)
{
    bool old = false;

    *kept = *event;
    switch (event->kind) {
    case FF_EVENT_CE:
        old = event->ce.sent_t_ns <= path_start_ns;
        break;
    case FF_EVENT_ACK:
        old = leave_out_old(&kept->ack.packets, &kept->ack.run_count, &kept->ack.bytes, path_start_ns);
        break;
    case FF_EVENT_LOST:
        old = leave_out_old(&kept->lost.packets, &kept->lost.run_count, &kept->lost.bytes, path_start_ns);
        break;
    default:
        break;
    }
    if (old) {
        *kept = (struct ff_event){.kind = FF_EVENT_PATH_CHANGE, .t_ns = event->t_ns}; /* [slow-start.path.old-packets] */
    }
    return kept;
}

/* Process an event after a path change. */
FF_RARE static enum ff_status step_on_path(struct ff_controller *controller, const struct ff_event *event,
                                           struct ff_observation *observation)
{
    struct ff_event kept;

    return step_algorithm(controller, of_this_path(event, controller->path_start_ns, &kept), observation);
}

/* Process an event on the first or a later path. */
static inline enum ff_status step_on_any_path(struct ff_controller *controller, const struct ff_event *event,
                                              struct ff_observation *observation)
{
    if (is_not_in_flight(event)) {
        return step_ignored(controller, event, observation);
    }
    if (event->kind == FF_EVENT_PATH_CHANGE && resets(controller)) {
        return begin_path(controller, event, observation);
    }
    if (controller->path_start_ns > 0) {
        return step_on_path(controller, event, observation);
    }
    return step_algorithm(controller, event, observation);
}

enum ff_status ff_controller_process(struct ff_controller *controller, const struct ff_event *event,
                                     struct ff_observation *observation)
{
    if (event->kind == FF_EVENT_DATAGRAM_SIZE) {
        ff_newreno_on_datagram_size(&controller->base, &event->datagram_size);
    }
    enum ff_status status = step_on_any_path(controller, event, observation);
    if (status == FF_OK) {
        controller->t_ns = event->t_ns;
        if (event->kind == FF_EVENT_SENT) {
            controller->next_packet = event->sent.packets[event->sent.run_count - 1].last + 1;
        }
    }
    return status;
}

/* Check an event of any kind, and process it. */
FF_RARE static enum ff_status step_any(struct ff_controller *controller, const struct ff_event *event,
                                       struct ff_observation *observation)
{
    if (ff_event_check(event) != FF_OK || event->t_ns < controller->t_ns || !sends_new_packets(controller, event)) {
        return FF_ERR_DOMAIN;
    }
    return ff_controller_process(controller, event, observation);
}

enum ff_status ff_controller_step(struct ff_controller *controller, const struct ff_event *event,
                                  struct ff_observation *observation)
{
    if (event->t_ns >= controller->t_ns && ff_is_valid_ack_of_one_run(event)) {
        return ff_controller_process(controller, event, observation);
    }
    return step_any(controller, event, observation);
}
