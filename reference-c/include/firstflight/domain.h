/* The parts of ff_event_check that every ACK goes through: inline, since they are a fifth of what an ACK costs. */
#ifndef FIRSTFLIGHT_DOMAIN_H
#define FIRSTFLIGHT_DOMAIN_H

#include "firstflight/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return whether a value is in 1..high: 0 wraps. */
static inline bool ff_positive_within(uint64_t value, uint64_t high)
{
    return value - 1 < high;
}

/* Return whether a value is in 0..high or UINT64_MAX, which stands for none and wraps to 0. */
static inline bool ff_within_or_none(uint64_t value, uint64_t high)
{
    return value + 1 <= high + 1;
}

/* Return whether packet numbers from first to last, both included, are in the domain. */
static inline bool ff_range_valid(uint64_t first, uint64_t last)
{
    /* FF_PACKET_MAX is 2^62 - 1: if both numbers together have no higher bit, a first above last wraps to more than 2^63. */
    return (first | last) <= FF_PACKET_MAX && last - first < FF_RUN_MAX_PACKETS;
}

/* Return whether a run is in the domain. */
static inline bool ff_run_valid(const struct ff_run *run, uint64_t t_ns)
{
    return ff_range_valid(run->first, run->last) && ff_positive_within(run->size_bytes, FF_DATAGRAM_MAX_BYTES) && ff_positive_within(run->sent_t_ns, t_ns);
}

/* Return the bytes of a valid run: at most 65535 * 65535 < 2^32. */
static inline uint64_t ff_run_bytes(const struct ff_run *run)
{
    return ff_run_count(run) * run->size_bytes;
}

/* Return whether an ACK is in the domain, its runs apart. */
static inline bool ff_ack_numbers_valid(const struct ff_ack *ack)
{
    return ff_within_or_none(ack->latest_rtt_ns, FF_TIME_MAX_NS) && ff_within_or_none(ack->min_rtt_ns, FF_TIME_MAX_NS) &&
           ff_within_or_none(ack->smoothed_rtt_ns, FF_TIME_MAX_NS) && ack->next_packet <= FF_PACKET_MAX + 1 &&
           ff_within_or_none(ack->oldest_unacked_packet, FF_PACKET_MAX + 1);
}

/* Return whether an event is an ACK of one run, as nearly all are, and in the domain. */
static inline bool ff_is_valid_ack_of_one_run(const struct ff_event *event)
{
    return event->kind == FF_EVENT_ACK && ff_positive_within(event->t_ns, FF_TIME_MAX_NS) && event->ack.run_count == 1 &&
           ff_ack_numbers_valid(&event->ack) && ff_run_valid(event->ack.packets, event->t_ns) &&
           ff_run_bytes(event->ack.packets) == event->ack.bytes;
}

#ifdef __cplusplus
}
#endif

#endif
