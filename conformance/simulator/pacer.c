/* The pacer: release time of the next packet. */
#include "firstflight/wide.h"
#include "flow.h"

#define INITIAL_RTT_NS UINT64_C(333000000)
/* 1.2 and 10^9 in double precision are 0x13333333333333 / 2^52 and 10^9. */
#define SIX_FIFTHS (struct real){UINT64_C(0x13333333333333), -52}

/* A positive number in double precision: `digits` * 2^exponent, with digits in 2^52..2^53 - 1. No exponent comes near the bounds of IEEE 754. */
struct real {
    uint64_t digits;
    int exponent;
};

/* Return digits * 2^exponent rounded to the nearest, a half to even; `more`: a digit beyond the last one is not 0. */
static struct real rounded(uint64_t digits, bool more, int exponent)
{
    uint64_t half;

    for (; digits >> 52 == 0; exponent--) {
        digits <<= 1;
    }
    for (half = 0; digits >> 53 != 0; exponent++) {
        more |= half != 0;
        half = digits & 1;
        digits >>= 1;
    }
    if (half != 0 && (more || (digits & 1) != 0)) {
        digits++;
    }
    return digits >> 53 != 0 ? (struct real){digits >> 1, exponent + 1} : (struct real){digits, exponent};
}

/* The product of the digits is in 2^104..2^106: its upper 64 bits remain. */
static struct real multiply(struct real a, struct real b)
{
    uint64_t high, low = ff_wide_product(a.digits, b.digits, &high);
    return rounded(high << 22 | low >> 42, (low & ((UINT64_C(1) << 42) - 1)) != 0, a.exponent + b.exponent + 42);
}

/* The quotient of the digits is in 1/2..2: with 63 more digits it is in 2^62..2^64. */
static struct real divide(struct real a, struct real b)
{
    uint64_t rest, digits = ff_wide_quotient(a.digits >> 1, a.digits << 63, b.digits, &rest);
    return rounded(digits, rest != 0, a.exponent - b.exponent - 63);
}

/* Return 6/5 of a window per smoothed RTT, truncated to whole bit/s. Equal to the double-precision result of ns-3. */
static uint64_t rate_bps(const struct sim_sender *sender, uint64_t rtt_ns)
{
    uint64_t cwnd_bytes = sender->answer.cwnd_bytes;

    if (cwnd_bytes == 0) {
        return 1;
    }
    if (cwnd_bytes >> 60 != 0) {
        sim_raise(sender->memory, SIM_BEYOND);
    }
    struct real bits = rounded(8 * cwnd_bytes, false, 0);
    struct real seconds = divide(rounded(rtt_ns, false, 0), rounded(UINT64_C(1000000000), false, 0));
    struct real rate = divide(multiply(bits, SIX_FIFTHS), seconds);

    if (rate.exponent > 10) {
        sim_raise(sender->memory, SIM_BEYOND);
    }
    if (rate.exponent >= 0) {
        return rate.digits << rate.exponent;
    }
    return rate.exponent > -53 ? rate.digits >> -rate.exponent : 1;
}

/* Return whether packets are sent one by one. */
bool sim_paced(const struct sim_sender *sender)
{
    return sender->answer.next_release_ns != FF_NONE || sender->transfer->pacing != SIM_PACING_NONE;
}

/*
 * Set the release time of the next packet, after a packet sent now: 5/4 of a window per smoothed RTT.
 * 4 * 2^16 * 2^44 = 2^62; a window above 2^60 bytes gives 1 ns, like 2^60.
 */
void sim_hold_back(struct sim_sender *sender, uint64_t size_bytes, uint64_t now_ns)
{
    uint64_t rtt_ns = sender->rtt.smoothed_ns == SIM_NONE ? INITIAL_RTT_NS : sender->rtt.smoothed_ns;

    if (sender->transfer->pacing == SIM_PACING_TIMER) {
        sender->release_ns = now_ns + sim_transmission_ns(size_bytes, rate_bps(sender, rtt_ns));
        return;
    }
    uint64_t cwnd_bytes = sender->answer.cwnd_bytes < UINT64_C(1) << 60 ? sender->answer.cwnd_bytes : UINT64_C(1) << 60;
    uint64_t window = 5 * (cwnd_bytes > 0 ? cwnd_bytes : 1);
    uint64_t from_ns = sender->release_ns > now_ns ? sender->release_ns : now_ns;

    sender->release_ns = from_ns + (4 * size_bytes * rtt_ns + window - 1) / window;
}
