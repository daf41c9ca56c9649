/*
 * RFC 4782, section 4: Quick-Start of a TCP sender, with the required Limited Slow-Start (RFC 3742), in one header to
 * be copied into a stack. C11 and C++17; no allocation, no floating point, no global state.
 *
 * The routers' answer is the constant 5.12 Mbit/s. A stack reads the answer from its packets: replace RATE_REQUEST, and
 * do not call on_response if the request was refused. "Open": the text leaves the choice to the implementer. The same
 * functions in the same order are in reference-py, quick_start/plain_quick_start_rfc_4782.py.
 *
 *     struct quick_start_rfc_4782 quick;
 *     struct quick_start_rfc_4782_window window; // of your controller: copy it in before each call and out after it
 *     quick_start_rfc_4782_begin(&quick, max_datagram_size);
 *     ... when the first data is ready: quick_start_rfc_4782_on_backlog(&quick, now, rtt, &window); after an idle period: ..._on_idle_restart
 *     ... for packets sent: quick_start_rfc_4782_on_sent(...), not before quick_start_rfc_4782_next_release_ns(&quick)
 *     ... for each ACK frame: quick_start_rfc_4782_before_growth(...); if quick_start_rfc_4782_limits(...)
 *     quick_start_rfc_4782_limited_slow_start(...), else your controller processes it; then, if
 *     quick_start_rfc_4782_has_request(...),
 *     quick_start_rfc_4782_after_growth(...)
 *     ... for lost packets and CE marks, instead of your controller: quick_start_rfc_4782_on_lost,
 *     quick_start_rfc_4782_on_ce
 *     ... after persistent congestion: quick_start_rfc_4782_end_mode(&quick).
 *
 * Domain: times in ns from 1, below 2^59 (18 years); packet numbers, windows and bytes in flight below 2^62; a datagram below 2^16.
 *
 * Invariant: sent_packets <= qs_packets < 2^29 / max_datagram_size, rounded up; first <= end <= next_packet outside of the mode.
 */
#ifndef QUICK_START_RFC_4782_H
#define QUICK_START_RFC_4782_H

#include <stdint.h>

#define QUICK_START_RFC_4782_NONE UINT64_MAX /* no RTT sample, no packet number */
#define QUICK_START_RFC_4782_JUMP_MAX ((UINT64_C(1) << 29) - 1) /* bytes of QS-cwnd; more is cut off */
#define QUICK_START_RFC_4782_WINDOW_MAX ((UINT64_C(1) << 62) - 1)

enum { QUICK_START_RFC_4782_RATE_REQUEST = 7, QUICK_START_RFC_4782_HEADER_BYTES = 40, QUICK_START_RFC_4782_MAX_SSTHRESH_SEGMENTS = 100 };

enum quick_start_rfc_4782_outcome {
    QUICK_START_RFC_4782_UNCHANGED,
    QUICK_START_RFC_4782_QUICK_START_BARRED,
    QUICK_START_RFC_4782_NO_RTT_SAMPLE,
    QUICK_START_RFC_4782_QUICK_START_IGNORED,
    QUICK_START_RFC_4782_QUICK_START_BEGUN,
    QUICK_START_RFC_4782_QUICK_START_ARMED,
    QUICK_START_RFC_4782_QUICK_START_REQUESTED,
    QUICK_START_RFC_4782_SENT,
    QUICK_START_RFC_4782_QUICK_START_ENDED,
    QUICK_START_RFC_4782_IN_RECOVERY,
    QUICK_START_RFC_4782_GROWN,
    QUICK_START_RFC_4782_LIMITED_GROWN,
    QUICK_START_RFC_4782_QUICK_START_REVERTED,
    QUICK_START_RFC_4782_REDUCED,
    QUICK_START_RFC_4782_ALREADY_REDUCED
};

/* State of your controller that Quick-Start reads and sets. Member ssthresh is UINT64_MAX while it is infinite. Member
 * recovery_start_time is the time of the last reduction, 0 before the first. With in_recovery a recovery period is in
 * progress. */
struct quick_start_rfc_4782_window {
    uint64_t cwnd;
    uint64_t ssthresh;
    uint64_t recovery_start_time;
    int in_recovery;
};

/* Quick-Start packets have numbers from first up to, not including, end: sent while in Quick-Start mode. */
struct quick_start_rfc_4782 {
    uint64_t max_datagram_size;
    uint64_t request; /* the packet with the pending request, or NONE */
    uint64_t start_ns;
    uint64_t qs_packets;
    uint64_t sent_packets;
    uint64_t default_window;
    uint64_t first;
    uint64_t end;
    uint64_t lost;
    uint64_t in_flight;
    uint64_t next_packet;
    uint8_t awaits_handshake;
    uint8_t request_next;
    uint8_t failed;
    uint8_t mode;
    uint8_t midway;
    uint8_t used;
};

/* Packets of one size that were sent at one time; numbers from first to last, both included. */
struct quick_start_rfc_4782_run {
    uint64_t first;
    uint64_t last;
    uint64_t size_bytes;
    uint64_t sent_time;
};

static inline uint64_t quick_start_rfc_4782_bits_ns(const struct quick_start_rfc_4782 *s);
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_response(struct quick_start_rfc_4782 *s, uint64_t now,
                                                                                 uint64_t rtt_ns,
                                                                                 struct quick_start_rfc_4782_window *window);
static inline void quick_start_rfc_4782_end_mode(struct quick_start_rfc_4782 *s);
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_limited_growth(const struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *run, uint64_t *cwnd);
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_on_congestion_event(struct quick_start_rfc_4782 *s, uint64_t sent_time, uint64_t now, int of_quick_start,
                                         struct quick_start_rfc_4782_window *window);
static inline void quick_start_rfc_4782_lower_threshold(const struct quick_start_rfc_4782 *s, struct quick_start_rfc_4782_window *window);
static inline void quick_start_rfc_4782_revert(struct quick_start_rfc_4782 *s, uint64_t now, struct quick_start_rfc_4782_window *window);

/* Packets are paced at the approved rate of 40000 * 2^N bit/s. All qs_packets datagrams have less than 2^29 bytes, and
 * their headers of 40 bytes less than 2^35. The product with 200000 for each byte is below 2^53. */
static inline uint64_t quick_start_rfc_4782_next_release_ns(const struct quick_start_rfc_4782 *s) {
    if (!s->mode || s->sent_packets >= s->qs_packets)
        return QUICK_START_RFC_4782_NONE;
    return s->start_ns +
           (s->sent_packets * quick_start_rfc_4782_bits_ns(s) >> QUICK_START_RFC_4782_RATE_REQUEST); /* [quick-start.pacing] */
}

/* Begin; before the answer the connection is ordinary. */
static inline void quick_start_rfc_4782_begin(struct quick_start_rfc_4782 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size;
    s->request = QUICK_START_RFC_4782_NONE;
    s->start_ns = s->qs_packets = s->sent_packets = s->default_window = 0;
    s->first = s->end = s->lost = s->in_flight = s->next_packet = 0;
    s->request_next = s->failed = s->mode = s->midway = s->used = 0;
    s->awaits_handshake = 1;
}

/* Return the time of the MSS + H bytes of a packet at 40000 bit/s, in ns. */
static inline uint64_t quick_start_rfc_4782_bits_ns(const struct quick_start_rfc_4782 *s) {
    return 8 * (s->max_datagram_size + QUICK_START_RFC_4782_HEADER_BYTES) * 25000;
}

/* 4.7: the answer to the request on the SYN is available with the first data. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_backlog(struct quick_start_rfc_4782 *s, uint64_t now, uint64_t rtt_ns,
                                                                                struct quick_start_rfc_4782_window *window) {
    if (!s->awaits_handshake)
        return QUICK_START_RFC_4782_UNCHANGED;
    enum quick_start_rfc_4782_outcome outcome = quick_start_rfc_4782_on_response(s, now, rtt_ns, window);
    s->awaits_handshake = 0; /* [quick-start.request.handshake] */
    return outcome;
}

/* 4.4: QS-cwnd = R * T / (MSS + H), used only if greater than cwnd. In recovery it is not used (open). The RTT is split
 * into quotient and rest by `bits`, which is at least 8 200 000 and below 2^34. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_response(struct quick_start_rfc_4782 *s, uint64_t now,
                                                                                 uint64_t rtt_ns,
                                                                                 struct quick_start_rfc_4782_window *window) {
    uint64_t bits = quick_start_rfc_4782_bits_ns(s), most = QUICK_START_RFC_4782_JUMP_MAX / s->max_datagram_size;
    if (s->failed || window->in_recovery)
        return QUICK_START_RFC_4782_QUICK_START_BARRED; /* [quick-start.request.barred] */
    if (rtt_ns == QUICK_START_RFC_4782_NONE)
        return QUICK_START_RFC_4782_NO_RTT_SAMPLE; /* [quick-start.no-rtt] */
    uint64_t packets = (rtt_ns / bits << QUICK_START_RFC_4782_RATE_REQUEST) +
                       (rtt_ns % bits << QUICK_START_RFC_4782_RATE_REQUEST) / bits; /* [quick-start.window] */
    if (packets > most)
        packets = most;
    if (packets * s->max_datagram_size <= window->cwnd)
        return QUICK_START_RFC_4782_QUICK_START_IGNORED; /* [quick-start.ignored] */
    s->mode = s->used = 1;
    s->midway = !s->awaits_handshake;
    s->start_ns = now;
    s->qs_packets = packets;
    s->sent_packets = 0;
    s->default_window = window->cwnd;
    s->first = s->next_packet;
    s->lost = 0;
    window->cwnd = packets * s->max_datagram_size; /* [quick-start.begin] */
    return QUICK_START_RFC_4782_QUICK_START_BEGUN;
}

/* 4.8: after an idle period a data packet carries a request: one at a time, none after the loss of a Quick-Start
 * packet. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_idle_restart(struct quick_start_rfc_4782 *s,
                                                                                     const struct quick_start_rfc_4782_window *window) {
    if (s->failed || window->in_recovery)
        return QUICK_START_RFC_4782_QUICK_START_BARRED; /* [quick-start.loss.bar] */
    if (s->awaits_handshake || s->request != QUICK_START_RFC_4782_NONE || s->mode)
        return QUICK_START_RFC_4782_UNCHANGED; /* [quick-start.request.one] */
    s->request_next = 1;                       /* [quick-start.request.idle] */
    return QUICK_START_RFC_4782_QUICK_START_ARMED;
}

/* `packets` packets, first..last, were sent. bytes_in_flight is stored: the ACK that ends the mode needs the used
 * window. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_sent(struct quick_start_rfc_4782 *s, uint64_t first, uint64_t last,
                                                                             uint64_t packets, uint64_t bytes_in_flight) {
    s->next_packet = last + 1;
    s->in_flight = bytes_in_flight;
    if (s->request_next) {
        s->request_next = 0;
        s->request = first;
        return QUICK_START_RFC_4782_QUICK_START_REQUESTED;
    }
    if (s->mode) {
        s->sent_packets += packets;
        if (s->sent_packets > s->qs_packets)
            s->sent_packets = s->qs_packets;
    }
    return QUICK_START_RFC_4782_SENT;
}

/* 4.4: the first ACK of a Quick-Start packet ends the mode and sets the window to its used part, at least two packets
 * (open). Return whether this ACK ends the mode. bytes_in_flight: after the ACK. */
static inline int quick_start_rfc_4782_before_growth(struct quick_start_rfc_4782 *s, uint64_t largest_packet, uint64_t bytes_in_flight,
                                                     struct quick_start_rfc_4782_window *window) {
    int ended = s->mode && largest_packet >= s->first;
    if (ended) {
        uint64_t used = s->in_flight, minimum_window = 2 * s->max_datagram_size;
        quick_start_rfc_4782_end_mode(s); /* [quick-start.end] */
        if (used < minimum_window)
            used = minimum_window; /* [quick-start.end.least] */
        if (used < window->cwnd)
            window->cwnd = used; /* [quick-start.end.used] */
    }
    s->in_flight = bytes_in_flight;
    return ended;
}

/* 4.8: the ACK of the packet with the request contains the answer. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_after_growth(struct quick_start_rfc_4782 *s, uint64_t now,
                                                                                  uint64_t rtt_ns,
                                                                                  struct quick_start_rfc_4782_window *window) {
    s->request = QUICK_START_RFC_4782_NONE;
    return quick_start_rfc_4782_on_response(s, now, rtt_ns, window); /* [quick-start.request.answer] */
}

/* Return whether these packets include the packet with the request. */
static inline int quick_start_rfc_4782_has_request(const struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *runs,
                                                   uint32_t run_count) {
    int found = 0;
    for (uint32_t i = 0; i < run_count; i++)
        found = found || (runs[i].first <= s->request && s->request <= runs[i].last);
    return found;
}

/* Packets sent from now on are not Quick-Start packets. */
static inline void quick_start_rfc_4782_end_mode(struct quick_start_rfc_4782 *s) {
    if (s->mode) {
        s->mode = 0;
        s->end = s->next_packet;
    }
}

/* 4.4 requires Limited Slow-Start with Quick-Start. */
static inline int quick_start_rfc_4782_limits(const struct quick_start_rfc_4782 *s, int app_limited,
                                              const struct quick_start_rfc_4782_window *window) {
    return s->used && !window->in_recovery && window->cwnd < window->ssthresh && !app_limited; /* [quick-start.limited] */
}

/* RFC 3742, packet by packet (open); packets sent before a recovery that a timeout ended do not grow the window. */
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_limited_slow_start(const struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *runs, uint32_t run_count,
                                        struct quick_start_rfc_4782_window *window) {
    enum quick_start_rfc_4782_outcome outcome = QUICK_START_RFC_4782_IN_RECOVERY;
    for (uint32_t i = 0; i < run_count; i++) {
        if (runs[i].sent_time > window->recovery_start_time)
            outcome = quick_start_rfc_4782_limited_growth(s, &runs[i], &window->cwnd);
    }
    return outcome;
}

/* Above max_ssthresh a packet adds int(MSS / K). */
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_limited_growth(const struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *run, uint64_t *cwnd) {
    uint64_t max_ssthresh = QUICK_START_RFC_4782_MAX_SSTHRESH_SEGMENTS * s->max_datagram_size;
    int limited = 0;
    for (uint64_t packet = run->first; packet <= run->last; packet++) {
        limited = *cwnd > max_ssthresh;
        uint64_t k = limited ? 2 * *cwnd / max_ssthresh : 1; /* [limited-slow-start.k] */
        *cwnd += run->size_bytes / k;                        /* [limited-slow-start.share] */
        if (*cwnd > QUICK_START_RFC_4782_WINDOW_MAX)
            *cwnd = QUICK_START_RFC_4782_WINDOW_MAX;
    }
    return limited ? QUICK_START_RFC_4782_LIMITED_GROWN : QUICK_START_RFC_4782_GROWN;
}

/* Return the number of Quick-Start packets from first to last. */
static inline uint64_t quick_start_rfc_4782_quick_packets(const struct quick_start_rfc_4782 *s, uint64_t first, uint64_t last) {
    uint64_t end = s->mode || last + 1 < s->end ? last + 1 : s->end;
    uint64_t begin = first > s->first ? first : s->first;
    return end > begin ? end - begin : 0;
}

/* A lost request gets no answer. 4.6: the loss of a Quick-Start packet. sent_time_of_last_loss: latest sending time of
 * the lost packets. */
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_on_lost(struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *runs, uint32_t run_count,
                             uint64_t sent_time_of_last_loss, uint64_t now, uint64_t bytes_in_flight,
                             struct quick_start_rfc_4782_window *window) {
    uint64_t packets = 0;
    if (quick_start_rfc_4782_has_request(s, runs, run_count))
        s->request = QUICK_START_RFC_4782_NONE; /* [quick-start.request.lost] */
    for (uint32_t i = 0; i < run_count; i++)
        packets += quick_start_rfc_4782_quick_packets(s, runs[i].first, runs[i].last);
    s->lost += packets; /* at most all packets declared lost */
    s->in_flight = bytes_in_flight;
    return quick_start_rfc_4782_on_congestion_event(s, sent_time_of_last_loss, now, packets > 0, window);
}

/* 4.6: a mark has the response to a loss. packet: the largest packet that the frame acknowledges. */
static inline enum quick_start_rfc_4782_outcome quick_start_rfc_4782_on_ce(struct quick_start_rfc_4782 *s, uint64_t packet, uint64_t sent_time,
                                                                           uint64_t now, struct quick_start_rfc_4782_window *window) {
    int of_quick_start = quick_start_rfc_4782_quick_packets(s, packet, packet) > 0; /* [quick-start.loss.ecn] */
    return quick_start_rfc_4782_on_congestion_event(s, sent_time, now, of_quick_start, window);
}

/* 4.6: the first loss or mark of a Quick-Start packet reverts; others are ordinary, and a reduction ends the mode
 * (open). */
static inline enum quick_start_rfc_4782_outcome
quick_start_rfc_4782_on_congestion_event(struct quick_start_rfc_4782 *s, uint64_t sent_time, uint64_t now, int of_quick_start,
                                         struct quick_start_rfc_4782_window *window) {
    enum quick_start_rfc_4782_outcome outcome = QUICK_START_RFC_4782_ALREADY_REDUCED;
    if (of_quick_start && !s->failed) {
        quick_start_rfc_4782_revert(s, now, window);
        outcome = QUICK_START_RFC_4782_QUICK_START_REVERTED;
    } else if (sent_time > window->recovery_start_time) {
        uint64_t minimum_window = 2 * s->max_datagram_size;
        window->recovery_start_time = now;
        window->in_recovery = 1;
        window->ssthresh = window->cwnd / 2; /* [quick-start.loss.other] */
        window->cwnd = window->ssthresh > minimum_window ? window->ssthresh : minimum_window;
        quick_start_rfc_4782_end_mode(s); /* [quick-start.end.congestion] */
        outcome = QUICK_START_RFC_4782_REDUCED;
    }
    if (of_quick_start)
        quick_start_rfc_4782_lower_threshold(s, window);
    return outcome;
}

/* 4.6: lower ssthresh to at most half of the Quick-Start packets not known to be lost, at least two packets (open). */
static inline void quick_start_rfc_4782_lower_threshold(const struct quick_start_rfc_4782 *s, struct quick_start_rfc_4782_window *window) {
    uint64_t end = s->mode ? s->next_packet : s->end, minimum_window = 2 * s->max_datagram_size;
    uint64_t delivered = end - s->first > s->lost ? end - s->first - s->lost : 0;
    uint64_t most = QUICK_START_RFC_4782_WINDOW_MAX / s->max_datagram_size;
    uint64_t half = (delivered < most ? delivered : most) * s->max_datagram_size / 2;
    if (half < minimum_window)
        half = minimum_window;
    if (half < window->ssthresh)
        window->ssthresh = half; /* [quick-start.loss.threshold] */
}

/* 4.6: slow start with the window that would have been used; 4.8: or half of QS-cwnd. The window never rises (open). */
static inline void quick_start_rfc_4782_revert(struct quick_start_rfc_4782 *s, uint64_t now, struct quick_start_rfc_4782_window *window) {
    uint64_t usual = s->default_window, half = s->qs_packets * s->max_datagram_size / 2, minimum_window = 2 * s->max_datagram_size;
    if (s->midway && half < usual)
        usual = half; /* [quick-start.loss.midway] */
    if (usual > window->cwnd)
        usual = window->cwnd;
    window->cwnd = usual > minimum_window ? usual : minimum_window; /* [quick-start.loss.revert] */
    window->recovery_start_time = now;
    window->in_recovery = 1;
    quick_start_rfc_4782_end_mode(s);
    s->failed = 1;
    s->used = 0;
}

#endif
