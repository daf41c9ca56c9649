/*
 * Linux, net/ipv4/tcp_hybla.c: Hybla, in one header to be copied into a stack. C11 and C++17; no allocation, no floating point, no global
 * state.
 *
 * The text is the code, in its version with the bound of 16 on the shift. The unit of rho is 1/8; increments are in
 * 128ths of a segment, for each ACK. The window is in bytes here, and its segments are whole segments. The same
 * functions in the same order are in reference-py, hybla/plain_hybla_linux_kernel.py.
 *
 *     struct hybla_linux_kernel hybla;
 *     hybla_linux_kernel_begin(&hybla, max_datagram_size);
 *     ... for each ACK with a smoothed RTT: hybla_linux_kernel_on_rtt(&hybla, smoothed_rtt_ns);
 *     ... then, outside of recovery and while the window is used, instead of your growth:
 *     hybla_linux_kernel_on_ack(&hybla, ssthresh, &cwnd);
 *
 * Domain: datagrams of 1 to 2^16 - 1 bytes, RTTs below 2^60 ns, windows of 1 to 2^62 - 1 bytes; ssthresh is any number.
 *
 * Invariant: 8 <= rho_3ls <= 2047, cents below 128, a datagram of 1 to 2^16 - 1 bytes.
 */
#ifndef HYBLA_LINUX_KERNEL_H
#define HYBLA_LINUX_KERNEL_H

#include <stdint.h>

#define HYBLA_LINUX_KERNEL_RTT0 UINT64_C(25000000) /* RTT of the reference connection, in ns */

enum {
    HYBLA_LINUX_KERNEL_RHO_3LS_MAX = 2047, /* this project's limit: rho below 256, so that 64 bits suffice */
    HYBLA_LINUX_KERNEL_SHIFT_MAX = 16,
    HYBLA_LINUX_KERNEL_WINDOW_CLAMP = 65535 /* segments */
};

enum hybla_linux_kernel_outcome { HYBLA_LINUX_KERNEL_GROWN, HYBLA_LINUX_KERNEL_GROWN_AVOIDANCE };

/* The variables of the code: rho in eighths, rest of growth in 128ths of a segment, smallest smoothed RTT. */
struct hybla_linux_kernel {
    uint64_t min_rtt;
    uint32_t max_datagram_size;
    uint32_t rho_3ls;
    uint32_t cents;
};

static inline uint64_t hybla_linux_kernel_slow_start_increment(const struct hybla_linux_kernel *s);
static inline uint64_t hybla_linux_kernel_avoidance_increment(const struct hybla_linux_kernel *s, uint64_t cwnd);
static inline void hybla_linux_kernel_gain(struct hybla_linux_kernel *s, uint64_t increment, uint64_t *cwnd);

/* Begin a connection without an RTT. */
static inline void hybla_linux_kernel_begin(struct hybla_linux_kernel *s, uint32_t max_datagram_size) {
    s->min_rtt = UINT64_MAX; /* [hybla.begin] */
    s->max_datagram_size = max_datagram_size;
    s->rho_3ls = 8; /* [hybla.rho.unknown] */
    s->cents = 0;
}

/* Recompute rho if this is the smallest smoothed RTT. */
static inline void hybla_linux_kernel_on_rtt(struct hybla_linux_kernel *s, uint64_t srtt) {
    if (srtt >= s->min_rtt)
        return;
    s->min_rtt = srtt; /* [hybla.rtt] */
    uint64_t rho_3ls = 8 * srtt / HYBLA_LINUX_KERNEL_RTT0; /* [hybla.rho] [hybla.rho.eighths] dividend below 2^63 */
    if (rho_3ls > HYBLA_LINUX_KERNEL_RHO_3LS_MAX)
        rho_3ls = HYBLA_LINUX_KERNEL_RHO_3LS_MAX; /* [hybla.rho.limit] */
    if (rho_3ls < 8)
        rho_3ls = 8; /* [hybla.rho.minimum] */
    s->rho_3ls = (uint32_t)rho_3ls;
}

/* Grow the window for an ACK of at least one packet sent since recovery began [hybla.unit.ack]. */
static inline enum hybla_linux_kernel_outcome hybla_linux_kernel_on_ack(struct hybla_linux_kernel *s, uint64_t ssthresh,
                                                                        uint64_t *cwnd) {
    if (*cwnd >= ssthresh) {
        hybla_linux_kernel_gain(s, hybla_linux_kernel_avoidance_increment(s, *cwnd), cwnd);
        return HYBLA_LINUX_KERNEL_GROWN_AVOIDANCE;
    }
    hybla_linux_kernel_gain(s, hybla_linux_kernel_slow_start_increment(s), cwnd);
    if (*cwnd > ssthresh)
        *cwnd = ssthresh; /* [hybla.threshold] */
    return HYBLA_LINUX_KERNEL_GROWN;
}

/* Return 2^rho - 1, in 128ths of a segment: below 2^24. */
static inline uint64_t hybla_linux_kernel_slow_start_increment(const struct hybla_linux_kernel *s) {
    static const uint8_t fractions[8] = {128, 139, 152, 165, 181, 197, 215, 234}; /* 2^(k/8) in 128ths */
    uint32_t shift = s->rho_3ls / 8;
    if (shift > HYBLA_LINUX_KERNEL_SHIFT_MAX)
        shift = HYBLA_LINUX_KERNEL_SHIFT_MAX; /* [hybla.power.limit] */
    return ((uint64_t)fractions[s->rho_3ls % 8] << shift) - 128; /* [hybla.power.eighths] [hybla.slow-start] */
}

/* Return rho^2 / W, in 128ths of a segment: below 2^23. */
static inline uint64_t hybla_linux_kernel_avoidance_increment(const struct hybla_linux_kernel *s, uint64_t cwnd) {
    uint64_t segments = cwnd / s->max_datagram_size;
    return 2 * s->rho_3ls * s->rho_3ls / (segments > 0 ? segments : 1); /* [hybla.avoidance.datagrams] */
}

/* Grow the window by the whole segments of the credit, up to its clamp. */
static inline void hybla_linux_kernel_gain(struct hybla_linux_kernel *s, uint64_t increment, uint64_t *cwnd) {
    uint64_t parts = s->cents + increment;
    uint64_t gained = parts / 128 * s->max_datagram_size; /* [hybla.gain.datagrams] below 2^33 */
    uint64_t clamp = (uint64_t)HYBLA_LINUX_KERNEL_WINDOW_CLAMP * s->max_datagram_size;
    uint64_t room = clamp > *cwnd ? clamp - *cwnd : 0; /* [hybla.window.maximum] */
    s->cents = (uint32_t)(parts % 128);
    *cwnd += gained < room ? gained : room;
}

#endif
