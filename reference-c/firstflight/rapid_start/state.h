/* The state of Rapid Start, and rtt_floor as it has it (spec/rapid-start/rules.md). */
#ifndef FIRSTFLIGHT_RAPID_START_STATE_H
#define FIRSTFLIGHT_RAPID_START_STATE_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/rapid_start/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quarters of min_rtt of which the floor is kept. */
#define FF_RAPID_START_SLOTS 4

/* Where Rapid Start stands: before the first sign of congestion, in the recovery that this begins, or past it. */
enum {
    FF_RAPID_START_STAGE_STARTUP = 0,
    FF_RAPID_START_STAGE_RECOVERY = 1,
    FF_RAPID_START_STAGE_OVER = 2,
};

/* RTTs are FF_NO_RTT_NS while there is no sample. */
struct ff_rapid_start {
    uint64_t initial_window_bytes;
    uint64_t min_rtt_ns;                     /* of the connection */
    uint64_t round_end_packet;               /* whose acknowledgement ends the round */
    uint64_t round_min_ns;                   /* the smallest sample in it */
    uint64_t slots_ns[FF_RAPID_START_SLOTS]; /* the smallest samples of the last quarters, the present one first */
    uint64_t slot_end_ns;                    /* until when that lasts */
    uint64_t credit_bytes;                   /* acknowledged, and not enough for a datagram of growth yet */
    uint64_t lower_bound_bytes;              /* lower bound of recovery without the minimum window; FF_NONE: there was none */
    uint8_t stage;
};

/* Return rtt_floor, FF_NO_RTT_NS while there is no sample for it. */
uint64_t ff_rapid_start_floor_ns(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state);

#ifdef __cplusplus
}
#endif

#endif
