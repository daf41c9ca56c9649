/*
 * Rates and volumes in the units of Linux: packets, us, and packets per us times 2^24 (spec/bbr/rules.md). A packet is
 * a maximum datagram; a smaller datagram counts as a part. A rate stays a fraction: packets times 2^24 in bytes, over
 * 2^24 microseconds.
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
/* Unit of a rate, largest rate (32 bits), and interval of the fraction. */
#define FF_BBR_BW_UNIT UINT64_C(16777216)
#define FF_BBR_BW_MAX UINT64_C(4294967295)
#define FF_BBR_BW_INTERVAL_NS (FF_BBR_BW_UNIT * FF_BBR_MICROSECOND_NS)
/* Parts of a gain of 1 in Linux, and the size of a part in parts of FF_BBR_GAIN_UNIT. */
#define FF_BBR_GAIN_PARTS UINT64_C(256)
#define FF_BBR_PART UINT64_C(250)
/* 5/4, in parts of FF_BBR_GAIN_PARTS. */
#define FF_BBR_FULL_BW_THRESH UINT64_C(320)
/* TCP_INIT_CWND. */
#define FF_BBR_INIT_CWND_PACKETS UINT64_C(10)
/* Upper bound of the initial window in version 3, in packets. */
#define FF_BBR_INIT_CWND_MOST_PACKETS UINT64_C(127)
/* Bytes per second of one byte per microsecond, with the margin subtracted (99 %). */
#define FF_BBR_PACED_PER_SECOND UINT64_C(990000)
/* A send quantum is the bytes of 2^-10 s, limited by the segment size of the host and by a number of packets. */
#define FF_BBR_PACING_SHIFT 10
#define FF_BBR_GSO_MAX_BYTES (UINT64_C(65536) - 1 - 320)
#define FF_BBR_QUANTUM_MAX_PACKETS UINT64_C(127)
/* Below this pacing rate, 1.2 Mbit/s, a send quantum may be one packet. */
#define FF_BBR_MIN_TSO_RATE UINT64_C(150000)
/* Version 3: smallest send quantum, and an addition of 64 KBytes, halved for each 512 us of the smallest RTT. */
#define FF_BBR_MIN_TSO_PACKETS UINT64_C(2)
#define FF_BBR_GSO_LEGACY_BYTES UINT64_C(65536)
#define FF_BBR_TSO_RTT_SHIFT 9

/* Return whether the readings count rates and volumes in packets. */
bool ff_bbr_in_packets(const struct ff_bbr_readings *readings);

/* Return a time in ns, rounded down to whole microseconds. */
uint64_t ff_bbr_whole_ns(uint64_t time_ns);

/* Return the rate of a volume in at least a microsecond. */
struct ff_bbr_rate ff_bbr_packets_rate_of(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes);

/* Return the rate of a volume in at least a microsecond, rounded up. */
struct ff_bbr_rate ff_bbr_packets_rate_up(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes);

/* Return `parts` / 256 of a rate, rounded down, but at least its unit. */
struct ff_bbr_rate ff_bbr_packets_reduced(struct ff_bbr_rate rate, uint64_t parts, uint64_t size_bytes);

/* Return `parts` / 256 of a volume, rounded down to whole packets. */
uint64_t ff_bbr_packets_share_bytes(uint64_t volume_bytes, uint64_t parts, uint64_t size_bytes);

/* Return whether a rate is at least 5/4 of a baseline, rounded down. */
bool ff_bbr_packets_has_grown(struct ff_bbr_rate rate, struct ff_bbr_rate baseline, uint64_t size_bytes);

/* Return the whole packets that a rate delivers in whole microseconds. */
uint64_t ff_bbr_packets_delivered_bytes(struct ff_bbr_rate rate, uint64_t time_ns, uint64_t size_bytes);

/* Return a multiple of the bandwidth-delay product, rounded up to whole packets. */
uint64_t ff_bbr_packets_bdp_bytes(struct ff_bbr_rate rate, uint64_t min_rtt_ns, uint64_t gain, uint64_t size_bytes);

/* Return a rate in bytes per second, times a gain, minus the margin. */
uint64_t ff_bbr_packets_pacing_rate(struct ff_bbr_rate rate, uint64_t gain);

/* Return the send quantum in bytes, a number of whole packets. */
uint64_t ff_bbr_packets_send_quantum_bytes(uint64_t pacing_rate, uint64_t size_bytes);

/* Return the send quantum of version 3 in bytes, whole packets: larger for a shorter RTT, which may be infinite. */
uint64_t ff_bbr_packets_burst_bytes(uint64_t pacing_rate, uint64_t min_rtt_ns, uint64_t size_bytes);

/* Return a volume, rounded up to an even number of packets. */
uint64_t ff_bbr_packets_even_bytes(uint64_t volume_bytes, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
