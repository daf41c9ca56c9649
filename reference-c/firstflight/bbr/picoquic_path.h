/* What BBR of picoquic knows of the path: rate, RTT, rounds and aggregation (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_PICOQUIC_PATH_H
#define FIRSTFLIGHT_BBR_PICOQUIC_PATH_H

#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PICOQUIC_BANDWIDTH_TIME_INTERVAL_MIN: a longer interval gives a rate. */
#define FF_BBR_PICOQUIC_INTERVAL_MIN_NS UINT64_C(1000000)
/* The time after which a packet that follows an idle one restarts. */
#define FF_BBR_PICOQUIC_IDLE_NS UINT64_C(1000000000)
/* The time after which another RTT is taken. */
#define FF_BBR_PICOQUIC_JITTER_NS UINT64_C(1000000)
/* BBRProbeRTTInterval, and above BBRLongRttThreshold so many RTTs; BBRMinRTTFilterLen. */
#define FF_BBR_PICOQUIC_PROBE_RTT_NS UINT64_C(5000000000)
#define FF_BBR_PICOQUIC_LONG_RTT_NS UINT64_C(250000000)
#define FF_BBR_PICOQUIC_LONG_RTTS UINT64_C(100)
#define FF_BBR_PICOQUIC_MIN_RTT_NS UINT64_C(10000000000)
/* BBRMinRttMarginPercent makes the margin of the smallest RTT one of so many parts. */
#define FF_BBR_PICOQUIC_MARGIN_PART UINT64_C(2000)
/* PICOQUIC_MINRTT_THRESHOLD and PICOQUIC_MINRTT_MARGIN. */
#define FF_BBR_PICOQUIC_SHORT_RTT_NS UINT64_C(128000)

/* Restart after idle time, and see whether the application leaves a gap. */
void ff_bbr_picoquic_note_sent(struct ff_bbr *state, uint64_t t_ns, const struct ff_sent *sent);

/* Count what is lost until the next ACK, and its ranges. */
void ff_bbr_picoquic_note_lost(struct ff_bbr *state, const struct ff_lost *lost);

/* Return the RTT of an ACK, and keep the smallest one of the path. */
uint64_t ff_bbr_picoquic_path_rtt_ns(struct ff_bbr *state, uint64_t t_ns, const struct ff_ack *ack);

/* Return the sample of an ACK, and keep what is delivered in all, the rate of the path and its last packet. */
struct ff_bbr_sample ff_bbr_picoquic_rate_sample(struct ff_bbr *state, const struct ff_ack *ack, uint64_t rtt_ns);

/* See whether a round begins: where a packet is acknowledged that was sent after the last one began. */
void ff_bbr_picoquic_update_round(struct ff_bbr *state, const struct ff_ack *ack);

/* Estimate how much more is acknowledged at once than is expected, which is a product that is not divided. */
void ff_bbr_picoquic_update_ack_aggregation(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns,
                                            const struct ff_ack *ack);

/* Take the RTT into the smallest one, which is the longest of the last seven. */
void ff_bbr_picoquic_update_min_rtt(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns, uint64_t rtt_ns);

#ifdef __cplusplus
}
#endif

#endif
