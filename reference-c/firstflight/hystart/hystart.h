/*
 * HyStart (spec/hystart/rules.md) on top of the base controller, in every profile of hystart/profiles.h.
 *
 * The functions trust their arguments: events are such as ff_event_check accepts, and times do not decrease.
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

/* Datagrams that the window must have before slow start is left. */
#define FF_HYSTART_LOW_WINDOW_DATAGRAMS UINT64_C(16)
/* RTT samples that a round needs before its delay is compared. */
#define FF_HYSTART_RTT_SAMPLES UINT64_C(8)
/* Bounds of the rise of the RTT that ends slow start, in microseconds, and its share of the minimum RTT. */
#define FF_HYSTART_DELAY_MIN_US UINT64_C(4000)
#define FF_HYSTART_DELAY_MAX_US UINT64_C(16000)
#define FF_HYSTART_DELAY_DIVISOR UINT64_C(8)
/* ACKs no farther apart than this belong to one train, in ns. */
#define FF_HYSTART_TRAIN_GAP_NS UINT64_C(2000000)
/* What a train may exceed the minimum RTT for bursts, in ns. */
#define FF_HYSTART_TRAIN_MARGIN_NS UINT64_C(1000000)

/* RTTs are FF_NO_RTT_NS while there was no sample. */
struct ff_hystart {
    uint64_t round_end_packet; /* whose acknowledgement ends the round; FF_NO_PACKET: the next ACK begins one */
    uint64_t rtt_samples;      /* of this round, at most FF_HYSTART_RTT_SAMPLES */
    uint64_t current_min_ns;   /* of this round */
    uint64_t min_ns;           /* since the start */
    uint64_t round_start_ns;
    uint64_t train_ns;    /* the last ACK of the round's train */
    uint64_t next_packet; /* the number after the last sent */
    bool found;           /* slow start is to be left */
};

/* Fill in the state before the first event. */
void ff_hystart_begin(const struct ff_hystart_readings *readings, struct ff_hystart *state, const struct ff_base_state *base);

/* The parts below are for algorithms that run HyStart beside themselves. */

/* Begin HyStart anew after persistent congestion. */
void ff_hystart_restart(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns);

/* Keep the minimum RTT, and return the RTT that counts for the round. */
uint64_t ff_hystart_take_sample(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                                uint64_t latest_rtt_ns, uint64_t ack_delay_ns);

/* Return whether the window is too small for slow start to be left. */
bool ff_hystart_is_low(const struct ff_base_state *base);

/* Begin a round if this ACK does; return whether rounds are followed at this window. */
bool ff_hystart_follow_rounds(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                              const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack);

/* Return whether the train of ACKs has become too long. */
bool ff_hystart_watch_train(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns);

/* Return whether the RTT of the round has risen too far above the minimum. */
bool ff_hystart_watch_delay(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t rtt_ns);

/* Process one event with HyStart in the given readings. */
void ff_hystart_step(const struct ff_hystart_readings *readings, struct ff_hystart *state, struct ff_base_state *base,
                     const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
