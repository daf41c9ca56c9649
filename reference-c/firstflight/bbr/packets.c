/* Rates and volumes in the units of Linux. Mirrors reference-py/src/firstflight/bbr/packets.py. */
#include "firstflight/bbr/packets.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/u128.h"
#include "firstflight/wide.h"

bool ff_bbr_in_packets(const struct ff_bbr_readings *readings)
{
    return readings->units == FF_BBR_UNITS_PACKETS || readings->units == FF_BBR_UNITS_PACKETS_V3;
}

uint64_t ff_bbr_whole_ns(uint64_t time_ns)
{
    return time_ns - time_ns % FF_BBR_MICROSECOND_NS;
}

static uint64_t bw_of(struct ff_bbr_rate rate, uint64_t size_bytes)
{
    return rate.delivered_bytes / size_bytes;
}

struct ff_bbr_rate ff_bbr_packets_rate_of(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes)
{
    uint64_t scaled = ff_bbr_over(volume_bytes, FF_BBR_BW_UNIT, size_bytes);
    uint64_t bw = ff_min(scaled / (time_ns / FF_BBR_MICROSECOND_NS), FF_BBR_BW_MAX);

    return bw == 0 ? ff_bbr_rate_zero : (struct ff_bbr_rate){bw * size_bytes, FF_BBR_BW_INTERVAL_NS};
}

struct ff_bbr_rate ff_bbr_packets_rate_up(uint64_t volume_bytes, uint64_t time_ns, uint64_t size_bytes)
{
    uint64_t high, rest, time_us = time_ns / FF_BBR_MICROSECOND_NS, bw = FF_BBR_BW_MAX;
    uint64_t low = ff_wide_product(volume_bytes, FF_BBR_BW_UNIT, &high);

    /* Otherwise the quotient has more than 64 bits, and more than 32 after division by a 16-bit size. */
    if (high < time_us) {
        uint64_t scaled = ff_wide_quotient(high, low, time_us, &rest);
        uint64_t packets = scaled / size_bytes;
        bw = ff_min(packets + (rest > 0 || scaled % size_bytes > 0), FF_BBR_BW_MAX);
    }
    return bw == 0 ? ff_bbr_rate_zero : (struct ff_bbr_rate){bw * size_bytes, FF_BBR_BW_INTERVAL_NS};
}

struct ff_bbr_rate ff_bbr_packets_reduced(struct ff_bbr_rate rate, uint64_t parts, uint64_t size_bytes)
{
    uint64_t bw = ff_max(bw_of(rate, size_bytes) * parts / FF_BBR_GAIN_PARTS, 1);

    return (struct ff_bbr_rate){bw * size_bytes, FF_BBR_BW_INTERVAL_NS};
}

uint64_t ff_bbr_packets_share_bytes(uint64_t volume_bytes, uint64_t parts, uint64_t size_bytes)
{
    return ff_bbr_over(volume_bytes, parts, FF_BBR_GAIN_PARTS * size_bytes) * size_bytes;
}

bool ff_bbr_packets_has_grown(struct ff_bbr_rate rate, struct ff_bbr_rate baseline, uint64_t size_bytes)
{
    return bw_of(rate, size_bytes) >= bw_of(baseline, size_bytes) * FF_BBR_FULL_BW_THRESH / FF_BBR_GAIN_PARTS;
}

uint64_t ff_bbr_packets_delivered_bytes(struct ff_bbr_rate rate, uint64_t time_ns, uint64_t size_bytes)
{
    uint64_t packets = ff_bbr_over(bw_of(rate, size_bytes), time_ns / FF_BBR_MICROSECOND_NS, FF_BBR_BW_UNIT);

    return ff_bbr_over(packets, size_bytes, 1);
}

uint64_t ff_bbr_packets_bdp_bytes(struct ff_bbr_rate rate, uint64_t min_rtt_ns, uint64_t gain, uint64_t size_bytes)
{
    /* Bits: rate 32, gain in parts 10, RTT in us 50. The packets are 2^-32 of the sum, rounded down. */
    struct ff_u128 scaled = ff_mul_64_64(bw_of(rate, size_bytes) * (gain / FF_BBR_PART), min_rtt_ns / FF_BBR_MICROSECOND_NS);
    struct ff_u128 sum = ff_add_128(scaled, ff_mul_64_64(FF_BBR_BW_UNIT - 1, FF_BBR_GAIN_PARTS));
    uint64_t packets = sum.hi << 32 | sum.lo >> 32;

    return ff_bbr_over(packets, size_bytes, 1);
}

uint64_t ff_bbr_packets_pacing_rate(struct ff_bbr_rate rate, uint64_t gain)
{
    return ff_bbr_over(rate.delivered_bytes * (gain / FF_BBR_PART) / FF_BBR_GAIN_PARTS, FF_BBR_PACED_PER_SECOND, FF_BBR_BW_UNIT);
}

uint64_t ff_bbr_packets_send_quantum_bytes(uint64_t pacing_rate, uint64_t size_bytes)
{
    uint64_t packets = ff_min(pacing_rate >> FF_BBR_PACING_SHIFT, FF_BBR_GSO_MAX_BYTES) / size_bytes;
    uint64_t least = pacing_rate < FF_BBR_MIN_TSO_RATE ? 1 : 2;

    return ff_min(ff_max(packets, least), FF_BBR_QUANTUM_MAX_PACKETS) * size_bytes;
}

uint64_t ff_bbr_packets_burst_bytes(uint64_t pacing_rate, uint64_t min_rtt_ns, uint64_t size_bytes)
{
    uint64_t near_bytes = 0;

    if (min_rtt_ns != UINT64_MAX) {
        near_bytes = FF_BBR_GSO_LEGACY_BYTES >> ff_min(min_rtt_ns / FF_BBR_MICROSECOND_NS >> FF_BBR_TSO_RTT_SHIFT, 31);
    }
    uint64_t packets = ff_min((pacing_rate >> FF_BBR_PACING_SHIFT) + near_bytes, FF_BBR_GSO_MAX_BYTES) / size_bytes;

    return ff_max(packets, FF_BBR_MIN_TSO_PACKETS) * size_bytes;
}

uint64_t ff_bbr_packets_even_bytes(uint64_t volume_bytes, uint64_t size_bytes)
{
    uint64_t pair_bytes = 2 * size_bytes;

    return ff_min((volume_bytes + pair_bytes - 1) / pair_bytes * pair_bytes, FF_WINDOW_MAX_BYTES);
}
