/* The first flight of JumpStart: its size, and the release time of each packet (spec/jumpstart/rules.md). */
#ifndef FIRSTFLIGHT_JUMPSTART_PACING_H
#define FIRSTFLIGHT_JUMPSTART_PACING_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/jumpstart/profiles.h"
#include "firstflight/jumpstart/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest payload that the reading `at_once` does not pace: the initial window of RFC 3390. */
#define FF_JUMPSTART_SMALL_BYTES 4380
/* The RTT of the reading `default` without a sample. */
#define FF_JUMPSTART_DEFAULT_RTT_NS 100000000
/* The largest packet size of the reading `packets`. */
#define FF_JUMPSTART_PACKET_MAX_BYTES 1472
/* The time of a byte at 1 Mbit/s, in ns. */
#define FF_JUMPSTART_MBIT_BYTE_NS 8000
/* quicly's pacer: packets of the first burst, and packets that each later burst is ahead of the rate. */
#define FF_JUMPSTART_BURST_HIGH_PACKETS 10
#define FF_JUMPSTART_BURST_LOW_PACKETS 8

/* Return the RTT for spreading the flight, or FF_NO_RTT_NS if a jump is not possible. */
uint64_t ff_jumpstart_rtt_ns(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                             const struct ff_backlog *backlog);

/* Return the number of packets for the bytes; the last packet may be short. */
uint64_t ff_jumpstart_packets_of(uint64_t count_bytes, uint64_t packet_bytes);

/* Return the bytes that the receiver allows, or FF_NONE if the reading ignores the receive window. */
uint64_t ff_jumpstart_receive_window_bytes(const struct ff_jumpstart_readings *readings, uint64_t packet_bytes,
                                           const struct ff_backlog *backlog);

/* Return the bytes of the first flight, which lasts spread_ns, at most FF_JUMP_MAX_BYTES; packet_bytes is the maximum datagram size. */
uint64_t ff_jumpstart_amount_bytes(const struct ff_jumpstart_readings *readings, uint64_t packet_bytes,
                                   const struct ff_backlog *backlog, uint64_t spread_ns);

/* Return whether the flight is too small to be paced. */
bool ff_jumpstart_sent_at_once(const struct ff_jumpstart_readings *readings, uint64_t flight_bytes);

/* Return the earliest time of the next packet of the flight, which may be past, or FF_NONE without a packet. */
uint64_t ff_jumpstart_next_release_ns(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                      uint64_t packet_bytes);

#ifdef __cplusplus
}
#endif

#endif
