/*
 * RFC 3742, section 2: Limited Slow-Start, in one header to be copied into a stack. C11 and C++17; no allocation, no floating point, no
 * global state.
 *
 * Written from the text, after the model and by its author. MSS is the maximum datagram size, and windows are in bytes. The same functions
 * in the same order are in reference-py, limited_slow_start/plain_limited_slow_start_rfc_3742.py.
 *
 *     struct limited_slow_start_rfc_3742 limited;
 *     limited_slow_start_rfc_3742_begin(&limited, max_datagram_size);
 *     ... for each ACK of a packet that was not sent before the last recovery period began (RFC 9002), instead of
 *     your growth:
 *     if (limited_slow_start_rfc_3742_in_slow_start(cwnd, ssthresh))
 *         limited_slow_start_rfc_3742_on_ack(&limited, app_limited, &cwnd);
 *
 * Domain: datagrams of 1 to 2^16 - 1 bytes, windows below 2^62 bytes. An ACK adds less than 2^16 bytes.
 *
 * Invariant: max_ssthresh is 100 datagrams.
 */
#ifndef LIMITED_SLOW_START_RFC_3742_H
#define LIMITED_SLOW_START_RFC_3742_H

#include <stdint.h>

enum { LIMITED_SLOW_START_RFC_3742_MAX_SSTHRESH_SEGMENTS = 100 };

enum limited_slow_start_rfc_3742_outcome {
    LIMITED_SLOW_START_RFC_3742_APP_LIMITED,
    LIMITED_SLOW_START_RFC_3742_GROWN,
    LIMITED_SLOW_START_RFC_3742_LIMITED_GROWN
};

/* Both in bytes. */
struct limited_slow_start_rfc_3742 {
    uint64_t max_datagram_size;
    uint64_t max_ssthresh;
};

static inline uint64_t limited_slow_start_rfc_3742_limited_increase(const struct limited_slow_start_rfc_3742 *s, uint64_t cwnd);

/* Begin a connection. */
static inline void limited_slow_start_rfc_3742_begin(struct limited_slow_start_rfc_3742 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size; /* [limited-slow-start.begin] */
    s->max_ssthresh = LIMITED_SLOW_START_RFC_3742_MAX_SSTHRESH_SEGMENTS * s->max_datagram_size; /* [limited-slow-start.maximum] */
}

/* Return whether slow start continues; it ends when ssthresh < cwnd. */
static inline int limited_slow_start_rfc_3742_in_slow_start(uint64_t cwnd, uint64_t ssthresh) {
    return cwnd <= ssthresh; /* [limited-slow-start.at-threshold] */
}

/* Process an arriving ACK in slow start [limited-slow-start.scope]; not while the window is underused (RFC 9002, section 7.8). */
static inline enum limited_slow_start_rfc_3742_outcome
limited_slow_start_rfc_3742_on_ack(const struct limited_slow_start_rfc_3742 *s, int app_limited, uint64_t *cwnd) {
    if (app_limited)
        return LIMITED_SLOW_START_RFC_3742_APP_LIMITED; /* [slow-start.app-limited] */
    if (*cwnd <= s->max_ssthresh) {
        *cwnd += s->max_datagram_size; /* [limited-slow-start.full] [limited-slow-start.unit.ack] */
        return LIMITED_SLOW_START_RFC_3742_GROWN;
    }
    *cwnd += limited_slow_start_rfc_3742_limited_increase(s, *cwnd); /* [limited-slow-start.limited] */
    return LIMITED_SLOW_START_RFC_3742_LIMITED_GROWN;
}

/* Return int(MSS / K): at most half a segment, and 0 if K exceeds the bytes of a segment. */
static inline uint64_t limited_slow_start_rfc_3742_limited_increase(const struct limited_slow_start_rfc_3742 *s, uint64_t cwnd) {
    uint64_t k = 2 * cwnd / s->max_ssthresh; /* [limited-slow-start.k] at least 2, since cwnd is above max_ssthresh */
    return s->max_datagram_size / k; /* [limited-slow-start.share] */
}

#endif
