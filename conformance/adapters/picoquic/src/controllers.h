/* The controllers of picoquic, and numbers of their states that lack an access function. */
#include "newreno.c"

#include "cubic.c"

#include "picoquic_bbr.h"

#include "firstflight_adapter.h"

/* Whether BBR is judged. */
extern unsigned char bbr;

/* The seed of BBR's random numbers does not depend on the time. */
static picoquic_quic_t predictable = {.use_predictable_random = 1};

/* Return the controller that a profile judges, or NULL. */
static picoquic_congestion_algorithm_t *controller_of(const struct firstflight_case *start)
{
    const struct {
        const char *algorithm, *profile;
        unsigned char bbr;
        picoquic_congestion_algorithm_t *controller;
    } judged[] = {
        {"slow-start", "rfc-9002", 0, picoquic_newreno_algorithm},
        {"cubic", "rfc-9438", 0, picoquic_cubic_algorithm},
        {"bbr", "draft-06", 1, picoquic_bbr_algorithm},
    };

    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++) {
        if (judged[i].bbr == bbr && strcmp(start->algorithm, judged[i].algorithm) == 0 &&
            strcmp(start->profile, judged[i].profile) == 0) {
            return judged[i].controller;
        }
    }
    return NULL;
}

/* The initial window is a constant of picoquic: put another one where alg_init has put the constant. */
static void set_initial_window(picoquic_path_t *path, const picoquic_congestion_algorithm_t *controller, uint64_t window)
{
    path->cwin = window;
    if (controller == picoquic_newreno_algorithm) {
        ((picoquic_newreno_state_t *)path->congestion_alg_state)->nrss.cwin = window;
    } else if (controller == picoquic_cubic_algorithm) {
        picoquic_cubic_state_t *cubic = path->congestion_alg_state;
        cubic->previous_cwin = window;
        cubic->W_reno = (double)window;
    }
}

/* Return ssthresh in bytes; picoquic has UINT64_MAX for infinity, as the protocol. Not for BBR. */
static uint64_t ssthresh_of(const picoquic_path_t *path, const picoquic_congestion_algorithm_t *controller)
{
    return controller == picoquic_newreno_algorithm
               ? ((const picoquic_newreno_state_t *)path->congestion_alg_state)->nrss.ssthresh
               : ((const picoquic_cubic_state_t *)path->congestion_alg_state)->ssthresh;
}
