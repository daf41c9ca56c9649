/*
 * HyStart++ (spec/hystartpp/rules.md) on top of the base controller, in every profile of hystartpp/profiles.h.
 *
 * The functions do not check their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_HYSTARTPP_H
#define FIRSTFLIGHT_HYSTARTPP_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/hystartpp/profiles.h"
#include "firstflight/observables.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* N_RTT_SAMPLE: RTT samples per round before its delay is compared. */
#define FF_HYSTARTPP_RTT_SAMPLES UINT64_C(8)
/* MIN_RTT_THRESH and MAX_RTT_THRESH: bounds of the rise of the RTT that begins CSS, in ns. */
#define FF_HYSTARTPP_THRESHOLD_MIN_NS UINT64_C(4000000)
#define FF_HYSTARTPP_THRESHOLD_MAX_NS UINT64_C(16000000)
/* MIN_RTT_DIVISOR: the threshold between these bounds is the last round's RTT divided by this number. */
#define FF_HYSTARTPP_RTT_DIVISOR UINT64_C(8)
/* CSS_GROWTH_DIVISOR: CSS divides the growth of slow start by this number. */
#define FF_HYSTARTPP_GROWTH_DIVISOR UINT64_C(4)

/* RTTs are FF_NO_RTT_NS instead of the text's infinity. */
struct ff_hystartpp {
    uint64_t round_end_packet; /* windowEnd: the packet whose acknowledgement ends the round */
    uint64_t rtt_samples;      /* in this round, at most FF_HYSTARTPP_RTT_SAMPLES */
    uint64_t current_min_ns;   /* minimum RTT in this round */
    uint64_t last_min_ns;      /* minimum RTT in the last round */
    uint64_t baseline_ns;      /* the minimum that began CSS */
    uint64_t css_rounds;       /* rounds that ended in CSS */
    bool conservative;         /* in CSS */
};

/* Initialise the state before the first event. */
void ff_hystartpp_begin(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                        const struct ff_base_state *base);

/* Process one event with HyStart++ in these readings. */
void ff_hystartpp_step(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                       struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
