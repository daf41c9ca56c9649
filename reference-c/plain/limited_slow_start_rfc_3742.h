/*
 * RFC 3742, section 2: Limited Slow-Start, in one header to be copied into a stack. C11 and C++17; no allocation, no floating point, no
 * global state.
 *
 * Written from the rule as code quotes it, since the whole text was not at hand: beyond max_ssthresh each arriving ACK in slow start
 * adds int(MSS / K) with K = int(cwnd / (0.5 max_ssthresh)). MSS is the datagram size; an ACK of less counts for its bytes (RFC 5681).
 * The same functions in the same order are in reference-py, plain/limited_slow_start_rfc_3742.py.
 *
 *     struct limited_slow_start_rfc_3742 limited;
 *     limited_slow_start_rfc_3742_begin(&limited, max_datagram_size);
 *     ... for each ACK that arrives in slow start, in place of your growth:
 *     limited_slow_start_rfc_3742_on_ack(&limited, newly_acked_bytes, app_limited, &cwnd);
 *
 * Domain: datagrams of 1 to 2^16 - 1 bytes, ACKs of 1 to 2^48 bytes, windows below 2^62 bytes. An ACK adds less than 2^16 bytes.
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

static inline uint64_t limited_slow_start_rfc_3742_limited_increase(const struct limited_slow_start_rfc_3742 *s, uint64_t cwnd,
                                                                    uint64_t segment);

/* Begin a connection. */
static inline void limited_slow_start_rfc_3742_begin(struct limited_slow_start_rfc_3742 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size; /* [limited-slow-start.begin] */
    s->max_ssthresh = LIMITED_SLOW_START_RFC_3742_MAX_SSTHRESH_SEGMENTS * s->max_datagram_size; /* [limited-slow-start.maximum] */
}

/* Process an arriving ACK in slow start [limited-slow-start.scope]; not while the window is underused (RFC 9002, section 7.8). */
static inline enum limited_slow_start_rfc_3742_outcome
limited_slow_start_rfc_3742_on_ack(const struct limited_slow_start_rfc_3742 *s, uint64_t acked_bytes, int app_limited, uint64_t *cwnd) {
    if (app_limited)
        return LIMITED_SLOW_START_RFC_3742_APP_LIMITED; /* [slow-start.app-limited] */
    uint64_t segment = acked_bytes < s->max_datagram_size ? acked_bytes : s->max_datagram_size; /* [limited-slow-start.unit.ack] */
    if (*cwnd <= s->max_ssthresh) {
        *cwnd += segment; /* [limited-slow-start.full] */
        return LIMITED_SLOW_START_RFC_3742_GROWN;
    }
    *cwnd += limited_slow_start_rfc_3742_limited_increase(s, *cwnd, segment); /* [limited-slow-start.limited] */
    return LIMITED_SLOW_START_RFC_3742_LIMITED_GROWN;
}

/* Return int(MSS / K): at most half a segment, and nothing once K is larger than a segment has bytes. */
static inline uint64_t limited_slow_start_rfc_3742_limited_increase(const struct limited_slow_start_rfc_3742 *s, uint64_t cwnd,
                                                                    uint64_t segment) {
    uint64_t k = 2 * cwnd / s->max_ssthresh; /* [limited-slow-start.k] at least 2, since cwnd is above max_ssthresh */
    return segment / k; /* [limited-slow-start.share] */
}

#endif
