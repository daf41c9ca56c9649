/*
 * HyStart (spec/hystart/rules.md) on top of the base controller, in every profile of hystart/profiles.h.
 *
 * The functions do not check their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_HYSTART_H
#define FIRSTFLIGHT_HYSTART_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/hystart/profiles.h"
#include "firstflight/observables.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Minimum window for leaving slow start, in datagrams. */
#define FF_HYSTART_LOW_WINDOW_DATAGRAMS UINT64_C(16)
/* RTT samples per round before its delay is compared. */
#define FF_HYSTART_RTT_SAMPLES UINT64_C(8)
/* Bounds of the rise of the RTT that ends slow start, in microseconds, and its share of the minimum RTT. */
#define FF_HYSTART_DELAY_MIN_US UINT64_C(4000)
#define FF_HYSTART_DELAY_MAX_US UINT64_C(16000)
#define FF_HYSTART_DELAY_DIVISOR UINT64_C(8)
/* ACKs no farther apart than this belong to one train, in ns. */
#define FF_HYSTART_TRAIN_GAP_NS UINT64_C(2000000)
/* Allowance for bursts: a train may exceed the minimum RTT by this time, in ns. */
#define FF_HYSTART_TRAIN_MARGIN_NS UINT64_C(1000000)

/* RTTs are FF_NO_RTT_NS before the first sample. */
struct ff_hystart {
    uint64_t round_end_packet; /* packet whose acknowledgement ends the round; FF_NO_PACKET: the next ACK begins a round
    */
    uint64_t rtt_samples;      /* in this round, at most FF_HYSTART_RTT_SAMPLES */
    uint64_t current_min_ns;   /* minimum RTT in this round */
    uint64_t min_ns;           /* minimum RTT since the start */
    uint64_t round_start_ns;
    uint64_t train_ns;    /* time of the last ACK of the round's train */
    uint64_t next_packet; /* the number after the last sent */
    bool found;           /* slow start must end */
};

/* Initialise the state before the first event. */
void ff_hystart_begin(const struct ff_hystart_readings *readings, struct ff_hystart *state, const struct ff_base_state *base);

/* The functions below are for algorithms that also run HyStart. */

/* Begin HyStart anew after persistent congestion. */
void ff_hystart_restart(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns);

/* Update the minimum RTT, and return the RTT that counts for the round. */
uint64_t ff_hystart_take_sample(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                                uint64_t latest_rtt_ns, uint64_t ack_delay_ns);

/* Return whether the window is too small for leaving slow start. */
bool ff_hystart_is_low(const struct ff_base_state *base);

/* Begin a round if this ACK begins one; return whether rounds are tracked at this window. */
bool ff_hystart_follow_rounds(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                              const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack);

/* Return whether the train of ACKs has become too long. */
bool ff_hystart_watch_train(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns);

/* Return whether the RTT of the round has risen too far above the minimum. */
bool ff_hystart_watch_delay(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t rtt_ns);

/* Process one event with HyStart in these readings. */
void ff_hystart_step(const struct ff_hystart_readings *readings, struct ff_hystart *state, struct ff_base_state *base,
                     const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
