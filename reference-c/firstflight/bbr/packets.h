/*
 * Rates and volumes as Linux counts them: in packets, microseconds, and packets in a microsecond times 2^24 (spec/bbr/rules.md). A packet is
 * a maximum datagram; of a smaller one its part counts. A rate stays a fraction: packets times 2^24 in bytes, over 2^24 microseconds.
 */
#ifndef FIRSTFLIGHT_BBR_PACKETS_H
#define FIRSTFLIGHT_BBR_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/rate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FF_BBR_MICROSECOND_NS UINT64_C(1000)
/* The unit of a rate, which has 32 bits, and the time of the fraction. */
#define FF_BBR_BW_UNIT UINT64_C(16777216)
#define FF_BBR_BW_MAX UINT64_C(4294967295)
#define FF_BBR_BW_INTERVAL_NS (FF_BBR_BW_UNIT * FF_BBR_MICROSECOND_NS)
/* A gain of 1 has so many parts; a part is so many of those of FF_BBR_GAIN_UNIT. */
#define FF_BBR_GAIN_PARTS UINT64_C(256)
#define FF_BBR_PART UINT64_C(250)
/* Five quarters, in those parts. */
#define FF_BBR_FULL_BW_THRESH UINT64_C(320)
/* TCP_INIT_CWND. */
#define FF_BBR_INIT_CWND_PACKETS UINT64_C(10)
/* And the most that version 3 remembers of the initial window. */
#define FF_BBR_INIT_CWND_MOST_PACKETS UINT64_C(127)
/* A microsecond's share of the margin, which leaves 99 %: bytes per second of a byte per microsecond. */
#define FF_BBR_PACED_PER_SECOND UINT64_C(990000)
/* The bytes that leave at once are those of so many parts of a second, and fit in a segment of the host; so many packets at most. */
#define FF_BBR_PACING_SHIFT 10
#define FF_BBR_GSO_MAX_BYTES (UINT64_C(65536) - 1 - 320)
#define FF_BBR_QUANTUM_MAX_PACKETS UINT64_C(127)
/* Below this pacing rate, 1.2 Mbit/s, a packet may leave alone. */
#define FF_BBR_MIN_TSO_RATE UINT64_C(150000)
/* In version 3 at least two packets leave at once, and more by 64 KBytes, which halve with each 512 us of the smallest RTT. */
#define FF_BBR_MIN_TSO_PACKETS UINT64_C(2)
#define FF_BBR_GSO_LEGACY_BYTES UINT64_C(65536)
#define FF_BBR_TSO_RTT_SHIFT 9

/* Return whether rates and volumes are counted so. */
bool ff_bbr_in_packets(const struct ff_bbr_readings *readings);

/* Return the whole microseconds of a time. */
uint64_t ff_bbr_whole_ns(uint64_t time_ns);

/* Return the rate of a volume in at least a microsecond. */
struct ff_bbr_rate ff_bbr_packets_rate_of(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes);

/* Return the rate of a volume in at least a microsecond, rounded up. */
struct ff_bbr_rate ff_bbr_packets_rate_up(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes);

/* Return so many parts of a rate, rounded down, but no less than its unit. */
struct ff_bbr_rate ff_bbr_packets_reduced(struct ff_bbr_rate rate, uint64_t parts, uint64_t size_bytes);

/* Return so many parts of a volume, rounded down to whole packets. */
uint64_t ff_bbr_packets_share_bytes(uint64_t volume_bytes, uint64_t parts, uint64_t size_bytes);

/* Return whether a rate is at least 5/4 of a baseline, rounded down. */
bool ff_bbr_packets_has_grown(struct ff_bbr_rate rate, struct ff_bbr_rate baseline, uint64_t size_bytes);

/* Return the whole packets that a rate delivers in whole microseconds. */
uint64_t ff_bbr_packets_delivered_bytes(struct ff_bbr_rate rate, uint64_t time_ns, uint64_t size_bytes);

/* Return a multiple of the bandwidth-delay product, rounded up to whole packets. */
uint64_t ff_bbr_packets_bdp_bytes(struct ff_bbr_rate rate, uint64_t min_rtt_ns, uint64_t gain, uint64_t size_bytes);

/* Return a rate in bytes per second, times a gain, less the margin. */
uint64_t ff_bbr_packets_pacing_rate(struct ff_bbr_rate rate, uint64_t gain);

/* Return the whole packets that leave at once. */
uint64_t ff_bbr_packets_send_quantum_bytes(uint64_t pacing_rate, uint64_t size_bytes);

/* Return the whole packets that leave at once in version 3: the shorter the smallest RTT, which may be FF_BBR_INFINITE, the more. */
uint64_t ff_bbr_packets_burst_bytes(uint64_t pacing_rate, uint64_t min_rtt_ns, uint64_t size_bytes);

/* Return a volume, rounded up to an even number of packets. */
uint64_t ff_bbr_packets_even_bytes(uint64_t volume_bytes, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
