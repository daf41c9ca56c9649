/* The sample of an ACK, RS (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_SAMPLE_H
#define FIRSTFLIGHT_BBR_SAMPLE_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return a time in ns, in the resolution of the clock of the readings. */
uint64_t ff_bbr_clocked_ns(const struct ff_bbr_readings *readings, uint64_t time_ns);

/* Mark the connection as application-limited if the packets leave nothing more to send. */
void ff_bbr_limit_sent(struct ff_bbr *state, const struct ff_sent *sent);

/* Return the sample of an ACK, and update the delivered bytes and the bytes in flight. */
struct ff_bbr_sample ff_bbr_generate_rate_sample(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                                 const struct ff_base_state *base, const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
