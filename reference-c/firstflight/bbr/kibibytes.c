/* Rates as s2n-quic counts them. Mirrors reference-py/src/firstflight/bbr/kibibytes.py. */
#include "firstflight/bbr/kibibytes.h"

#include "firstflight/minmax.h"

static struct ff_bbr_rate rate_of(uint64_t ns_per_kibibyte)
{
    return (struct ff_bbr_rate){FF_BBR_KIBIBYTE_BYTES, ff_max(ns_per_kibibyte, 1)};
}

struct ff_bbr_rate ff_bbr_kibibytes_rate_of(uint64_t volume_bytes, uint64_t time_ns)
{
    if (volume_bytes == 0 || time_ns == 0) {
        return ff_bbr_rate_zero;
    }
    return rate_of(ff_bbr_over(time_ns, FF_BBR_KIBIBYTE_BYTES, volume_bytes));
}

struct ff_bbr_rate ff_bbr_kibibytes_scaled(struct ff_bbr_rate rate, uint64_t numerator, uint64_t denominator)
{
    if (rate.delivered_bytes == 0) {
        return ff_bbr_rate_zero;
    }
    return rate_of(ff_bbr_over(rate.interval_ns, denominator, numerator));
}

uint64_t ff_bbr_kibibytes_quantum_bytes(uint64_t pacing_rate, uint64_t size_bytes)
{
    uint64_t least_bytes = pacing_rate < FF_BBR_SEND_QUANTUM_THRESHOLD ? size_bytes : 2 * size_bytes;

    return ff_min(ff_max(pacing_rate / 1000, least_bytes), FF_BBR_MAX_BURST_PACKETS * size_bytes);
}
