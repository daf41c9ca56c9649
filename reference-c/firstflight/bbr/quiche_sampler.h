/* What quiche works out of the packets that it is told of: rates, and how much is acknowledged at once (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_QUICHE_SAMPLER_H
#define FIRSTFLIGHT_BBR_QUICHE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/bbr/quiche_state.h"
#include "firstflight/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The time of a byte at one bit a second. */
#define FF_BBR_BYTE_NS UINT64_C(8000000000)
/* Rates end where binary64 has no fractions. */
#define FF_BBR_QUICHE_RATE_MAX ((UINT64_C(1) << 53) - 1)

/* Return the rate of a volume in a time. */
uint64_t ff_bbr_quiche_rate_of(uint64_t volume_bytes, uint64_t time_ns);

/* Return what a rate delivers in a time. */
uint64_t ff_bbr_quiche_delivers_bytes(uint64_t rate, uint64_t time_ns);

/* Note of packets that are sent what was sent and acknowledged before. */
void ff_bbr_quiche_note_sent(struct ff_bbr_quiche *quiche, uint64_t t_ns, const struct ff_sent *sent, uint64_t cwnd_bytes);

/* Return the largest of the samples of the packets of an ACK. */
struct ff_bbr_largest ff_bbr_quiche_acknowledge(struct ff_bbr_quiche *quiche, uint64_t t_ns, const struct ff_ack *ack);

/* Take what an ACK acknowledged into the epoch, and see whether it is more than the rate delivers. grown: it is a new largest one. */
void ff_bbr_quiche_update_height(struct ff_bbr_quiche *quiche, uint64_t rate, uint64_t round_count, uint64_t acked_bytes,
                                 bool grown);

#ifdef __cplusplus
}
#endif

#endif
