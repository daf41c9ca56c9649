/* The state of Rapid Start, and rtt_floor computed from it (spec/rapid-start/rules.md). */
#ifndef FIRSTFLIGHT_RAPID_START_STATE_H
#define FIRSTFLIGHT_RAPID_START_STATE_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/rapid_start/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of quarters of min_rtt that rtt_floor covers. */
#define FF_RAPID_START_SLOTS 4

/* Stage of Rapid Start: before the first loss or CE mark, in the recovery that it begins, or after this recovery. */
enum {
    FF_RAPID_START_STAGE_STARTUP = 0,
    FF_RAPID_START_STAGE_RECOVERY = 1,
    FF_RAPID_START_STAGE_OVER = 2,
};

/* RTTs are FF_NO_RTT_NS before the first sample. */
struct ff_rapid_start {
    uint64_t initial_window_bytes;
    uint64_t min_rtt_ns;                     /* minimum RTT of the connection */
    uint64_t round_end_packet;               /* packet whose acknowledgement ends the round */
    uint64_t round_min_ns;                   /* smallest sample in the round */
    uint64_t slots_ns[FF_RAPID_START_SLOTS]; /* smallest samples of the last quarters, latest first */
    uint64_t slot_end_ns;                    /* end of the latest quarter */
    uint64_t credit_bytes;                   /* acknowledged bytes, not enough for a datagram of growth yet */
    uint64_t lower_bound_bytes;              /* lower bound of recovery without the minimum window; FF_NONE before it */
    uint8_t stage;
};

/* Return rtt_floor, or FF_NO_RTT_NS without a sample. */
uint64_t ff_rapid_start_floor_ns(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state);

#ifdef __cplusplus
}
#endif

#endif
