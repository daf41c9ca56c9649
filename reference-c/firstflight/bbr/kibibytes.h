/*
 * Rates as s2n-quic counts them: whole nanoseconds for 1024 bytes (spec/bbr/rules.md). A rate stays a fraction: 1024 bytes over these
 * nanoseconds. The fewer nanoseconds, the higher the rate.
 */
#ifndef FIRSTFLIGHT_BBR_KIBIBYTES_H
#define FIRSTFLIGHT_BBR_KIBIBYTES_H

#include <stdint.h>

#include "firstflight/bbr/rate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FF_BBR_KIBIBYTE_BYTES UINT64_C(1024)
/* The send quantum is at most MAX_BURST_PACKETS, and may be one packet below 1.2 Mbit/s. */
#define FF_BBR_MAX_BURST_PACKETS UINT64_C(10)
#define FF_BBR_SEND_QUANTUM_THRESHOLD UINT64_C(150000)

/* Return the rate of a volume in a time. */
struct ff_bbr_rate ff_bbr_kibibytes_rate_of(uint64_t volume_bytes, uint64_t time_ns);

/* Return a multiple of a rate: its nanoseconds over the factor, rounded down. */
struct ff_bbr_rate ff_bbr_kibibytes_scaled(struct ff_bbr_rate rate, uint64_t numerator, uint64_t denominator);

/* Return how much may leave at once. */
uint64_t ff_bbr_kibibytes_quantum_bytes(uint64_t pacing_rate, uint64_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
