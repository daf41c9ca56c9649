/*
 * RFC 9002, section 7 and appendix B: the NewReno controller of QUIC, in one header to be copied into a stack. C11 and C++17; no
 * allocation, no floating point, no global state.
 *
 * The same functions in the same order are in reference-py, newreno/plain_newreno_rfc_9002.py. Sending, a probe timeout and the end of an idle
 * period change nothing.
 *
 *     struct newreno_rfc_9002 newreno;
 *     newreno_rfc_9002_begin(&newreno, max_datagram_size, 0);
 *     ... for each ACK frame: newreno_rfc_9002_on_ack(&newreno, runs, run_count, app_limited);
 *     ... for packets declared lost, but not PMTU probes (RFC 9000, section 14.4): newreno_rfc_9002_on_lost(&newreno, sent_time_of_last_loss, now_ns);
 *     ... when the ECN-CE counter rises: newreno_rfc_9002_on_ce(&newreno, sent_time_of_largest_acked, now_ns);
 *     ... newreno_rfc_9002_on_persistent_congestion(&newreno), and newreno_rfc_9002_on_datagram_size(&newreno, size, handshake).
 *
 * On a new path begin again, and pass no packets of the old path (RFC 9000, section 9.4).
 *
 * Domain: times in ns, above 0; packets of 1 to 2^16 - 1 bytes; an initial window below 2^62. The window stays below 2^62.
 *
 * Invariant: the window and a finite ssthresh are below 2^62.
 */
#ifndef NEWRENO_RFC_9002_H
#define NEWRENO_RFC_9002_H

#include <stdint.h>

#define NEWRENO_RFC_9002_INFINITE UINT64_MAX /* ssthresh before it is set */
#define NEWRENO_RFC_9002_WINDOW_MAX ((UINT64_C(1) << 62) - 1)

enum newreno_rfc_9002_outcome {
    NEWRENO_RFC_9002_GROWN,
    NEWRENO_RFC_9002_GROWN_AVOIDANCE,
    NEWRENO_RFC_9002_APP_LIMITED,
    NEWRENO_RFC_9002_IN_RECOVERY,
    NEWRENO_RFC_9002_REDUCED,
    NEWRENO_RFC_9002_ALREADY_REDUCED,
    NEWRENO_RFC_9002_COLLAPSED
};

/* Variables of B.2. Member in_recovery: the sender is in the recovery period of 7.3.2. The start time is 0 if no recovery
 * period has begun since the last persistent congestion. No packet is sent at time 0. */
struct newreno_rfc_9002 {
    uint64_t max_datagram_size;
    uint64_t congestion_window;
    uint64_t ssthresh;
    uint64_t congestion_recovery_start_time;
    int in_recovery;
};

/* Packets of one size that were sent at one time. */
struct newreno_rfc_9002_run {
    uint32_t count;
    uint32_t size_bytes;
    uint64_t sent_time;
};

static inline int newreno_rfc_9002_in_congestion_recovery(const struct newreno_rfc_9002 *s, uint64_t sent_time);
static inline void newreno_rfc_9002_end_recovery(struct newreno_rfc_9002 *s, const struct newreno_rfc_9002_run *runs,
                                                 uint32_t run_count);
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_packets_acked(struct newreno_rfc_9002 *s,
                                                                              struct newreno_rfc_9002_run run);
static inline uint64_t newreno_rfc_9002_slow_start_packets(const struct newreno_rfc_9002 *s,
                                                           struct newreno_rfc_9002_run run);
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_slow_start(struct newreno_rfc_9002 *s, uint64_t acked_bytes);
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_congestion_avoidance(struct newreno_rfc_9002 *s,
                                                                                  uint64_t acked_bytes);
static inline void newreno_rfc_9002_increase(struct newreno_rfc_9002 *s, uint64_t more_bytes);

/* The minimum window, kMinimumWindow. */
static inline uint64_t newreno_rfc_9002_minimum_window(const struct newreno_rfc_9002 *s) {
    return 2 * s->max_datagram_size; /* [slow-start.window.minimum] */
}

/* Whether the congestion window is below the slow start threshold. */
static inline int newreno_rfc_9002_in_slow_start(const struct newreno_rfc_9002 *s) {
    return s->congestion_window < s->ssthresh;
}

/* 7.2: the recommended initial window, in bytes. */
static inline uint64_t newreno_rfc_9002_initial_window(uint64_t max_datagram_size) {
    uint64_t largest = 2 * max_datagram_size > 14720 ? 2 * max_datagram_size : 14720;
    return 10 * max_datagram_size < largest ? 10 * max_datagram_size : largest; /* [slow-start.window.initial] */
}

/* B.3. An initial window of 0 selects the window that section 7.2 recommends. */
static inline void newreno_rfc_9002_begin(struct newreno_rfc_9002 *s, uint32_t max_datagram_size,
                                          uint64_t initial_window) {
    if (initial_window == 0)
        initial_window = newreno_rfc_9002_initial_window(max_datagram_size);
    s->max_datagram_size = max_datagram_size;
    s->congestion_window = initial_window; /* [slow-start.begin] */
    s->ssthresh = NEWRENO_RFC_9002_INFINITE;
    s->congestion_recovery_start_time = 0;
    s->in_recovery = 0;
}

/* B.5: OnPacketsAcked, for at least one run. Returns the outcome of the last packet. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_ack(struct newreno_rfc_9002 *s,
                                                                    const struct newreno_rfc_9002_run *runs,
                                                                    uint32_t run_count, int app_limited) {
    enum newreno_rfc_9002_outcome outcome = NEWRENO_RFC_9002_APP_LIMITED;
    newreno_rfc_9002_end_recovery(s, runs, run_count);
    if (app_limited)
        return outcome; /* [slow-start.app-limited] */
    for (uint32_t i = 0; i < run_count; i++)
        outcome = newreno_rfc_9002_on_packets_acked(s, runs[i]);
    return outcome;
}

/* B.5: InCongestionRecovery. */
static inline int newreno_rfc_9002_in_congestion_recovery(const struct newreno_rfc_9002 *s, uint64_t sent_time) {
    return sent_time <= s->congestion_recovery_start_time;
}

/* 7.3.2: the recovery period ends when a packet sent during this period is acknowledged. */
static inline void newreno_rfc_9002_end_recovery(struct newreno_rfc_9002 *s, const struct newreno_rfc_9002_run *runs,
                                                 uint32_t run_count) {
    for (uint32_t i = 0; i < run_count; i++)
        if (!newreno_rfc_9002_in_congestion_recovery(s, runs[i].sent_time))
            s->in_recovery = 0; /* [slow-start.recovery.end] */
}

/* B.5: the growth of OnPacketAcked, for packets of one size that were sent at one time. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_packets_acked(struct newreno_rfc_9002 *s,
                                                                              struct newreno_rfc_9002_run run) {
    if (newreno_rfc_9002_in_congestion_recovery(s, run.sent_time))
        return NEWRENO_RFC_9002_IN_RECOVERY; /* [slow-start.recovery.no-growth] */
    enum newreno_rfc_9002_outcome outcome = NEWRENO_RFC_9002_GROWN;
    uint64_t packets = newreno_rfc_9002_slow_start_packets(s, run);
    if (packets > 0)
        outcome = newreno_rfc_9002_slow_start(s, packets * run.size_bytes);
    for (uint64_t i = packets; i < run.count; i++)
        outcome = newreno_rfc_9002_congestion_avoidance(s, run.size_bytes);
    return outcome;
}

/* Return the number of packets of a run that are acknowledged in slow start; the last of them reaches the threshold. */
static inline uint64_t newreno_rfc_9002_slow_start_packets(const struct newreno_rfc_9002 *s,
                                                           struct newreno_rfc_9002_run run) {
    if (s->ssthresh == NEWRENO_RFC_9002_INFINITE)
        return run.count;
    uint64_t missing_bytes = s->ssthresh > s->congestion_window ? s->ssthresh - s->congestion_window : 0;
    uint64_t missing = (missing_bytes + run.size_bytes - 1) / run.size_bytes; /* the sum is below 2^62 + 2^16 */
    return missing < run.count ? missing : run.count;
}

/* RFC 9002, section 7.3.1: grow by the acknowledged bytes. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_slow_start(struct newreno_rfc_9002 *s,
                                                                        uint64_t acked_bytes) {
    newreno_rfc_9002_increase(s, acked_bytes); /* [slow-start.grow] */
    return NEWRENO_RFC_9002_GROWN;
}

/* RFC 9002, section 7.3.3, for one packet of acked_bytes; the quotient is rounded down. A startup algorithm may leave a
 * window of 0, which does not grow. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_congestion_avoidance(struct newreno_rfc_9002 *s,
                                                                                  uint64_t acked_bytes) {
    if (s->congestion_window > 0) /* the product is below 2^32 */
        newreno_rfc_9002_increase(s, s->max_datagram_size * acked_bytes / s->congestion_window); /* [slow-start.avoidance.grow] */
    return NEWRENO_RFC_9002_GROWN_AVOIDANCE;
}

/* Increase the congestion window, by less than 2^48 bytes, up to the bound that keeps all sums in 64 bits. */
static inline void newreno_rfc_9002_increase(struct newreno_rfc_9002 *s, uint64_t more_bytes) {
    s->congestion_window += more_bytes;
    if (s->congestion_window > NEWRENO_RFC_9002_WINDOW_MAX)
        s->congestion_window = NEWRENO_RFC_9002_WINDOW_MAX; /* [slow-start.window.maximum] */
}

/* B.6: OnCongestionEvent, with kLossReductionFactor = 1/2. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_congestion_event(struct newreno_rfc_9002 *s,
                                                                                 uint64_t sent_time, uint64_t now) {
    if (newreno_rfc_9002_in_congestion_recovery(s, sent_time))
        return NEWRENO_RFC_9002_ALREADY_REDUCED; /* [slow-start.recovery.once] */
    uint64_t minimum_window = newreno_rfc_9002_minimum_window(s);
    s->congestion_recovery_start_time = now;
    s->in_recovery = 1;
    s->ssthresh = s->congestion_window / 2; /* [slow-start.recovery.begin] */
    s->congestion_window = s->ssthresh > minimum_window ? s->ssthresh : minimum_window;
    return NEWRENO_RFC_9002_REDUCED;
}

/* B.7: ProcessECN, after the counter rose. sent_time: sending time of the largest packet acknowledged by the frame. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_ce(struct newreno_rfc_9002 *s, uint64_t sent_time,
                                                                   uint64_t now) {
    return newreno_rfc_9002_on_congestion_event(s, sent_time, now); /* [slow-start.ce] */
}

/* B.8: the congestion event of OnPacketsLost, with the latest sending time of the lost packets. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_lost(struct newreno_rfc_9002 *s,
                                                                     uint64_t sent_time_of_last_loss, uint64_t now) {
    return newreno_rfc_9002_on_congestion_event(s, sent_time_of_last_loss, now); /* [slow-start.loss.latest] */
}

/* B.8: the reset of OnPacketsLost. */
static inline enum newreno_rfc_9002_outcome newreno_rfc_9002_on_persistent_congestion(struct newreno_rfc_9002 *s) {
    s->congestion_window = newreno_rfc_9002_minimum_window(s); /* [slow-start.persistent.collapse] */
    s->congestion_recovery_start_time = 0;
    s->in_recovery = 0;
    return NEWRENO_RFC_9002_COLLAPSED;
}

/* 7.2: a new maximum datagram size; the window in bytes does not grow with it (RFC 8899, section 3). With `handshake`
 * the size changes in order to complete the handshake. A decrease in the handshake uses the recommended window, also
 * after a configured one; a smaller window stays. */
static inline void newreno_rfc_9002_on_datagram_size(struct newreno_rfc_9002 *s, uint32_t max_datagram_size, int handshake) {
    uint64_t initial_window = newreno_rfc_9002_initial_window(max_datagram_size);
    if (handshake && max_datagram_size < s->max_datagram_size && initial_window < s->congestion_window)
        s->congestion_window = initial_window; /* [slow-start.datagram-size.handshake] */
    s->max_datagram_size = max_datagram_size; /* [slow-start.datagram-size.growth] */
}

#endif
