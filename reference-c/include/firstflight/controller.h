/*
 * A whole controller: the base controller and, where the algorithm asks for one, a startup algorithm on top of it.
 *
 *     struct ff_controller controller;
 *     struct ff_config config = {1200, 0};
 *     ff_controller_init(&controller, "search", "lanman-2024", &config);
 *     ff_controller_step(&controller, &event, &observation);
 *
 * The state is the caller's, of known size, and holds no pointers: it can be copied and needs no release.
 * No function allocates, blocks, or keeps anything outside the state. Pointers must not be NULL unless it is said.
 */
#ifndef FIRSTFLIGHT_CONTROLLER_H
#define FIRSTFLIGHT_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/careful_resume/careful_resume.h"
#include "firstflight/careful_resume/profiles.h"
#include "firstflight/cubic/profiles.h"
#include "firstflight/events.h"
#include "firstflight/hystart/hystart.h"
#include "firstflight/hystart/profiles.h"
#include "firstflight/hystartpp/hystartpp.h"
#include "firstflight/hystartpp/profiles.h"
#include "firstflight/jumpstart/jumpstart.h"
#include "firstflight/jumpstart/profiles.h"
#include "firstflight/limits.h"
#include "firstflight/observables.h"
#include "firstflight/rare.h"
#include "firstflight/search/search.h"
#include "firstflight/search/profiles.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/newreno/profiles.h"
#include "firstflight/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a connection, in bytes. */
struct ff_config {
    uint64_t max_datagram_size_bytes; /* 1..FF_DATAGRAM_MAX_BYTES */
    uint64_t initial_window_bytes;    /* 1..FF_WINDOW_MAX_BYTES, or 0 for the recommended one */
};

/* Which algorithm runs on the base controller. */
enum ff_algorithm {
    FF_ALGORITHM_SLOW_START = 0, /* a base controller alone */
    FF_ALGORITHM_CUBIC,
    FF_ALGORITHM_SEARCH,
    FF_ALGORITHM_JUMPSTART,
    FF_ALGORITHM_CAREFUL_RESUME,
    FF_ALGORITHM_HYSTARTPP,
    FF_ALGORITHM_HYSTART,
};

/* What is put after the name of a profile to run it on cubic/rfc-9438. */
#define FF_SUFFIX_CUBIC "+cubic"

/* `algorithm` says which member of the union holds readings and state. */
struct ff_controller {
    struct ff_newreno base;
    uint64_t t_ns;        /* time of the last event */
    uint64_t next_packet; /* the number after the last that was sent */
    enum ff_algorithm algorithm;
    union {
        FF_C11 struct {
            struct ff_search_readings search_readings;
            struct ff_search_any search; /* of which ff_search_state_bytes(&search_readings) are used */
        };
        FF_C11 struct {
            struct ff_jumpstart_readings jumpstart_readings;
            struct ff_jumpstart jumpstart;
        };
        FF_C11 struct {
            struct ff_careful_resume_readings careful_resume_readings;
            struct ff_careful_resume careful_resume;
            struct ff_search_any resumed_search; /* in readings with SEARCH */
        };
        FF_C11 struct {
            struct ff_hystartpp_readings hystartpp_readings;
            struct ff_hystartpp hystartpp;
        };
        FF_C11 struct {
            struct ff_hystart_readings hystart_readings;
            struct ff_hystart hystart;
        };
    };
};

/*
 * Fill in a new controller. Algorithms: "slow-start" with the profiles of ff_newreno_profiles, "cubic" with those of
 * ff_cubic_profiles, "search" with those of ff_search_profiles, "jumpstart" with those of ff_jumpstart_profiles, "careful-resume" with
 * those of ff_careful_resume_profiles, "hystartpp" with those of ff_hystartpp_profiles, "hystart" with those of ff_hystart_profiles.
 * Those after the first two run on NewReno; a profile followed by FF_SUFFIX_CUBIC runs on CUBIC.
 * FF_ERR_UNKNOWN_PROFILE if there is no such profile, FF_ERR_DOMAIN if the configuration is out of range.
 */
enum ff_status ff_controller_init(struct ff_controller *controller, const char *algorithm, const char *profile,
                                  const struct ff_config *config);

/*
 * The same with SEARCH in the given readings, or, if these are NULL, with the base controller alone. Readings that allow a shift
 * above FF_SEARCH_SHIFT_MAXIMUM_BINS are out of range.
 */
enum ff_status ff_controller_init_with(struct ff_controller *controller, const struct ff_search_readings *readings,
                                       const struct ff_config *config);

/* The same with JumpStart in the given readings. */
enum ff_status ff_controller_init_jumpstart(struct ff_controller *controller, const struct ff_jumpstart_readings *readings,
                                            const struct ff_config *config);

/* The same with Careful Resume in the given readings. */
enum ff_status ff_controller_init_careful_resume(struct ff_controller *controller,
                                                 const struct ff_careful_resume_readings *readings,
                                                 const struct ff_config *config);

/* The same with HyStart++ in the given readings. */
enum ff_status ff_controller_init_hystartpp(struct ff_controller *controller, const struct ff_hystartpp_readings *readings,
                                            const struct ff_config *config);

/* The same with HyStart in the given readings. */
enum ff_status ff_controller_init_hystart(struct ff_controller *controller, const struct ff_hystart_readings *readings,
                                          const struct ff_config *config);

/* The same with a base controller alone in the given readings. */
enum ff_status ff_controller_init_slow_start(struct ff_controller *controller, const struct ff_newreno_readings *readings,
                                             const struct ff_config *config);
enum ff_status ff_controller_init_cubic(struct ff_controller *controller, const struct ff_cubic_readings *readings,
                                        const struct ff_config *config);

/* Put a controller that has seen no event yet on CUBIC in the given readings. */
void ff_controller_use_cubic(struct ff_controller *controller, const struct ff_cubic_readings *readings);

/* Return the state of SEARCH. Like strchr, it serves readers and writers alike. */
struct ff_search *ff_controller_search(const struct ff_controller *controller);

/*
 * Process one event and write the observables. FF_ERR_DOMAIN if the event is outside the domain, earlier than the last one,
 * sends a packet whose number is not above those sent before, or counts more bytes than SEARCH can hold; or if the controller
 * was never filled in.
 */
enum ff_status ff_controller_step(struct ff_controller *controller, const struct ff_event *event,
                                  struct ff_observation *observation);

/*
 * The same without a look at the event, for a stack that makes its events itself: they must be such as ff_event_check accepts, their
 * times must not decrease, and the numbers of packets that are sent must rise. FF_ERR_DOMAIN in the last two cases of above alone.
 */
enum ff_status ff_controller_process(struct ff_controller *controller, const struct ff_event *event,
                                     struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
