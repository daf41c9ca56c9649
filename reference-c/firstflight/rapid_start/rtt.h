/* Detection of a queue: the samples of min_rtt and rtt_floor, and their comparison (spec/rapid-start/rules.md). */
#ifndef FIRSTFLIGHT_RAPID_START_RTT_H
#define FIRSTFLIGHT_RAPID_START_RTT_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/rapid_start/profiles.h"
#include "firstflight/rapid_start/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rise of the RTT in both bounds, and the smallest RTT for Rapid Start in quicly, in ns. */
#define FF_RAPID_START_RISE_NS UINT64_C(4000000)
#define FF_RAPID_START_TINY_NS UINT64_C(4000000)

/* Record the RTTs of an ACK at t_ns before the first loss or CE mark. */
void ff_rapid_start_sample(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state, uint64_t t_ns,
                           const struct ff_ack *ack);

/* Return whether no queue is building up. */
bool ff_rapid_start_no_queue(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state);

#ifdef __cplusplus
}
#endif

#endif
