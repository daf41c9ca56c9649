/* BBR.extra_acked: the bytes acknowledged in excess of the delivery by the path (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_AGGREGATION_H
#define FIRSTFLIGHT_BBR_AGGREGATION_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rounds of each of the two samples in Linux, and the packets that restart the interval of a sample. */
#define FF_BBR_EXTRA_ACKED_LINUX_ROUNDS UINT64_C(5)
#define FF_BBR_EXTRA_ACKED_LINUX_PACKETS (UINT64_C(1) << 20)

/* Update BBR.extra_acked, the bytes acknowledged in excess of the delivery at BBR.bw. */
void ff_bbr_update_ack_aggregation(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                   const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                   const struct ff_bbr_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
