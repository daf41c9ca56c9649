/*
 * RFC 9959: Careful Resume over your controller, its "normal CC", in one header to be copied into a stack. C11 and C++17; no allocation,
 * no floating point, no global state.
 *
 * Written from draft-ietf-tsvwg-careful-resume-24, whose section numbers are used. "Open": the text leaves the choice
 * to the implementer. Observing (3.1) changes no window and is not implemented. The same functions in the same order
 * are in reference-py, careful_resume/plain_careful_resume_rfc_9959.py.
 *
 *     struct careful_resume_rfc_9959 resume;
 *     struct careful_resume_rfc_9959_window window; // of your controller: copy it in before each call and out after it
 *     careful_resume_rfc_9959_begin(&resume, max_datagram_size, initial_window);
 *     ... first on each event: careful_resume_rfc_9959_on_event(&resume, now_ns); then
 *     ... when connection setup is complete: careful_resume_rfc_9959_on_saved_path(&resume, &saved, now_ns);
 *     ... when there is data to send, or the receive window changes: careful_resume_rfc_9959_on_backlog(...);
 *     ... for packets sent: careful_resume_rfc_9959_on_sent(...), not before careful_resume_rfc_9959_next_release_ns(&resume);
 *     ... for each ACK frame: if (careful_resume_rfc_9959_on_ack_in_normal_cc(&resume, &window, &threshold)) your
 *     controller processes it with that threshold instead of ssthresh; then careful_resume_rfc_9959_on_ack(&resume,
 *     &ack, &window);
 *     ... on loss and ECN-CE: your controller reacts if careful_resume_rfc_9959_on_detected_congestion(...) returns NORMAL;
 *     ... on the loss of a PMTU probe (RFC 9000, section 14.4): set resume.flight_size to the bytes in flight, then leave_unvalidated_if;
 *     ... for another maximum datagram size: your controller changes first, then set resume.max_datagram_size, then leave_unvalidated_if;
 *     ... careful_resume_rfc_9959_on_path_change(...); careful_resume_rfc_9959_on_persistent_congestion(...), then your controller
 *     ... reacts; and on any other event careful_resume_rfc_9959_leave_unvalidated_if(&resume, now_ns, NORMAL, 0, &window).
 *
 * Domain: times in ns from 1, below 2^59 (18 years), not decreasing; packet numbers and windows below 2^62; a datagram
 * below 2^16. Beta is a quotient of two numbers below 2^16, from 1/2 to 1.
 *
 * Invariant: windows are below 2^62, times below 2^59, marks at most 2^62; jump_cwnd > 0 in the Unvalidated Phase;
 * entry_ns is not in the future. Bytes sent before their first ACK are less than 2^62.
 */
#ifndef CAREFUL_RESUME_RFC_9959_H
#define CAREFUL_RESUME_RFC_9959_H

#include <stdint.h>

/* BPF lacks 128-bit products: hide an operand from the optimiser, which would recognise a product. */
#if defined(__bpf__)
#define CAREFUL_RESUME_RFC_9959_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#else
#define CAREFUL_RESUME_RFC_9959_HIDDEN(x) (x)
#endif

#define CAREFUL_RESUME_RFC_9959_NONE UINT64_MAX /* no RTT, no time, no bound, no packet number */
#define CAREFUL_RESUME_RFC_9959_WINDOW_MAX ((UINT64_C(1) << 62) - 1)
#define CAREFUL_RESUME_RFC_9959_TIME_MAX ((UINT64_C(1) << 59) - 1)

enum careful_resume_rfc_9959_outcome {
    CAREFUL_RESUME_RFC_9959_NORMAL, /* the outcome of your controller */
    CAREFUL_RESUME_RFC_9959_LIFETIME_EXCEEDED,
    CAREFUL_RESUME_RFC_9959_ALREADY_USED,
    CAREFUL_RESUME_RFC_9959_SAVED_SET_ABSENT,
    CAREFUL_RESUME_RFC_9959_SAVED_SET_IN_USE,
    CAREFUL_RESUME_RFC_9959_ENDPOINT_MISMATCH,
    CAREFUL_RESUME_RFC_9959_RESUMING,
    CAREFUL_RESUME_RFC_9959_RTT_NOT_VALIDATED,
    CAREFUL_RESUME_RFC_9959_JUMP_NOT_LARGER,
    CAREFUL_RESUME_RFC_9959_JUMPED,
    CAREFUL_RESUME_RFC_9959_WINDOW_KEPT,
    CAREFUL_RESUME_RFC_9959_RATE_LIMITED,
    CAREFUL_RESUME_RFC_9959_VALIDATION_BEGUN,
    CAREFUL_RESUME_RFC_9959_VALIDATED,
    CAREFUL_RESUME_RFC_9959_RETREATED,
    CAREFUL_RESUME_RFC_9959_RETREAT_ENDED,
    CAREFUL_RESUME_RFC_9959_ALREADY_REDUCED,
    CAREFUL_RESUME_RFC_9959_PATH_CHANGED
};

enum careful_resume_rfc_9959_phase {
    CAREFUL_RESUME_RFC_9959_PHASE_NORMAL,
    CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE,
    CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED,
    CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING,
    CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT
};

/* Reasons for a phase change, as bits; several can be set. */
enum careful_resume_rfc_9959_trigger {
    CAREFUL_RESUME_RFC_9959_TRIGGER_CONGESTION_WINDOW_LIMITED = 1,
    CAREFUL_RESUME_RFC_9959_TRIGGER_RTT_NOT_VALIDATED = 2,
    CAREFUL_RESUME_RFC_9959_TRIGGER_LAST_UNVALIDATED_PACKET_SENT = 4,
    CAREFUL_RESUME_RFC_9959_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED = 8,
    CAREFUL_RESUME_RFC_9959_TRIGGER_RTT_EXCEEDED = 16,
    CAREFUL_RESUME_RFC_9959_TRIGGER_RATE_LIMITED = 32,
    CAREFUL_RESUME_RFC_9959_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED = 64,
    CAREFUL_RESUME_RFC_9959_TRIGGER_PATH_CHANGED = 128,
    CAREFUL_RESUME_RFC_9959_TRIGGER_PACKET_LOSS = 256,
    CAREFUL_RESUME_RFC_9959_TRIGGER_ECN_CE = 512,
    CAREFUL_RESUME_RFC_9959_TRIGGER_EXIT_RECOVERY = 1024
};

/* State of your controller that Careful Resume reads and sets. Member ssthresh is NONE while it is infinite. Packets
 * sent up to recovery_start_time neither grow the window nor reduce it again. */
struct careful_resume_rfc_9959_window {
    uint64_t cwnd;
    uint64_t ssthresh;
    uint64_t recovery_start_time;
};

/* The saved set for the Remote Endpoint; saved_cwnd 0 without a set. expires: after that time it must not be used;
 * NONE: it does not expire. max_jump: NONE for no bound. */
struct careful_resume_rfc_9959_saved {
    uint64_t saved_cwnd;
    uint64_t saved_rtt;
    uint64_t expires;
    uint64_t max_jump;
    uint32_t beta_numerator;
    uint32_t beta_denominator;
    uint8_t endpoint_matches;
    uint8_t in_use;
};

/* The terms of section 2.4, in bytes. Packet numbers are stored plus 1, as "after" a packet; 0 is none. */
struct careful_resume_rfc_9959 {
    enum careful_resume_rfc_9959_phase phase;
    uint32_t triggers; /* triggers of the last event */
    uint32_t max_datagram_size;
    uint8_t resumed;         /* a saved set was accepted */
    uint64_t initial_window; /* IW: the window at the start of the connection */
    uint64_t flight_size;
    uint64_t current_rtt;
    uint64_t after_highest_sent;
    uint64_t after_highest_acked; /* largest packet number acknowledged so far */
    uint64_t waiting;             /* unsent data within flow control limits */
    /* Reconnaissance: the initial data, packets first to last, and its unacknowledged bytes. */
    struct careful_resume_rfc_9959_saved saved;
    uint64_t first_initial_packet;
    uint64_t after_last_initial_packet;
    uint64_t initial_data;
    uint64_t minimum_rtt;
    /* From the Unvalidated Phase on */
    uint64_t jump_cwnd;
    uint64_t pipesize;
    uint64_t entry_ns;
    uint64_t after_first_unvalidated_packet;
    uint64_t after_last_unvalidated_packet;
    /* Pacing at jump_cwnd bytes per RTT: start of the schedule, bytes sent since, RTT. */
    uint64_t paced_from_ns;
    uint64_t paced;
    uint64_t paced_rtt;
};

/* Packets of one size with consecutive numbers, both included. */
struct careful_resume_rfc_9959_run {
    uint64_t first;
    uint64_t last;
    uint32_t size_bytes;
};

/* Packets first to last were sent; bytes_in_flight counts them. */
struct careful_resume_rfc_9959_sent {
    uint64_t now;
    uint64_t first;
    uint64_t last;
    uint64_t bytes;
    uint64_t bytes_in_flight;
    int app_limited;
};

/* An ACK frame; the last run has the largest number. bytes_in_flight: after it. rtt: NONE without sample. */
struct careful_resume_rfc_9959_ack {
    uint64_t now;
    uint64_t bytes;
    uint64_t bytes_in_flight;
    uint64_t rtt;
    const struct careful_resume_rfc_9959_run *runs;
    uint32_t run_count;
};

static inline int careful_resume_rfc_9959_lifetime_exceeded(const struct careful_resume_rfc_9959_saved *saved, uint64_t now);
static inline int careful_resume_rfc_9959_rtt_is_valid(const struct careful_resume_rfc_9959 *s, uint64_t rtt);
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_unvalidated_if(struct careful_resume_rfc_9959 *s, uint64_t now,
                                             struct careful_resume_rfc_9959_window *window);
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_unvalidated(struct careful_resume_rfc_9959 *s, uint64_t now,
                                          struct careful_resume_rfc_9959_window *window);
static inline uint64_t careful_resume_rfc_9959_release_time(const struct careful_resume_rfc_9959 *s);
static inline uint64_t careful_resume_rfc_9959_transmission_time(const struct careful_resume_rfc_9959 *s, uint64_t size);
static inline void careful_resume_rfc_9959_pace(struct careful_resume_rfc_9959 *s,
                                                const struct careful_resume_rfc_9959_sent *sent);
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_leave_unvalidated_if(struct careful_resume_rfc_9959 *s, uint64_t now,
                                             enum careful_resume_rfc_9959_outcome otherwise, uint32_t triggers,
                                             struct careful_resume_rfc_9959_window *window);
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_safe_retreat(struct careful_resume_rfc_9959 *s, uint32_t trigger, uint64_t now,
                                           struct careful_resume_rfc_9959_window *window);
static inline void careful_resume_rfc_9959_leave_safe_retreat(const struct careful_resume_rfc_9959 *s,
                                                              struct careful_resume_rfc_9959_window *window);

static inline uint64_t careful_resume_rfc_9959_smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t careful_resume_rfc_9959_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* 3.3: all packets sent in the Unvalidated Phase are paced. */
static inline uint64_t careful_resume_rfc_9959_next_release_ns(const struct careful_resume_rfc_9959 *s) {
    if (s->phase != CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED)
        return CAREFUL_RESUME_RFC_9959_NONE;
    return careful_resume_rfc_9959_release_time(s);
}

/* Begin with normal CC, before connection setup is complete. */
static inline void careful_resume_rfc_9959_begin(struct careful_resume_rfc_9959 *s, uint32_t max_datagram_size,
                                                 uint64_t initial_window) {
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_NORMAL;
    s->triggers = 0;
    s->max_datagram_size = max_datagram_size;
    s->resumed = 0;
    s->initial_window = initial_window;
    s->flight_size = s->current_rtt = s->waiting = 0;
    s->after_highest_sent = s->after_highest_acked = 0;
    s->saved.saved_cwnd = s->saved.saved_rtt = s->saved.expires = s->saved.max_jump = 0;
    s->saved.beta_numerator = s->saved.beta_denominator = 1;
    s->saved.endpoint_matches = s->saved.in_use = 0;
    s->first_initial_packet = s->after_last_initial_packet = s->initial_data = 0;
    s->minimum_rtt = CAREFUL_RESUME_RFC_9959_NONE;
    s->jump_cwnd = s->pipesize = s->entry_ns = 0;
    s->after_first_unvalidated_packet = s->after_last_unvalidated_packet = 0;
    s->paced_from_ns = s->paced = s->paced_rtt = 0;
}

/* First on each event: in Reconnaissance the end of the Lifetime comes first (3.2). The event is still processed, by normal CC. */
static inline enum careful_resume_rfc_9959_outcome careful_resume_rfc_9959_on_event(struct careful_resume_rfc_9959 *s, uint64_t now) {
    s->triggers = 0;
    if (s->phase != CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE || !careful_resume_rfc_9959_lifetime_exceeded(&s->saved, now))
        return CAREFUL_RESUME_RFC_9959_NORMAL;
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_NORMAL;
    return CAREFUL_RESUME_RFC_9959_LIFETIME_EXCEEDED; /* [careful-resume.reconnaissance.lifetime] */
}

/* 3.7: stop using Careful Resume and return to normal CC. */
static inline enum careful_resume_rfc_9959_outcome careful_resume_rfc_9959_stop(struct careful_resume_rfc_9959 *s,
                                                                                enum careful_resume_rfc_9959_outcome outcome,
                                                                                uint32_t trigger) {
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_NORMAL; /* [careful-resume.end] */
    s->triggers = trigger;
    return outcome;
}

/* Reconnaissance Phase (3.2) */

/* Connection setup is complete: enter the phase, or continue with normal CC. A connection resumes once (open).
 *
 * A refused set does not count. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_saved_path(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_saved *path, uint64_t now) {
    if (s->resumed)
        return CAREFUL_RESUME_RFC_9959_ALREADY_USED; /* [careful-resume.saved.one-use] */
    if (path->saved_cwnd == 0 || path->saved_rtt == 0)
        return CAREFUL_RESUME_RFC_9959_SAVED_SET_ABSENT; /* [careful-resume.saved.absent] */
    if (path->in_use)
        return CAREFUL_RESUME_RFC_9959_SAVED_SET_IN_USE; /* [careful-resume.saved.in-use] */
    if (!path->endpoint_matches)
        return CAREFUL_RESUME_RFC_9959_ENDPOINT_MISMATCH; /* [careful-resume.saved.endpoint] */
    if (careful_resume_rfc_9959_lifetime_exceeded(path, now))
        return CAREFUL_RESUME_RFC_9959_LIFETIME_EXCEEDED; /* [careful-resume.saved.lifetime] */
    s->saved = *path;
    s->resumed = 1;
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE; /* [careful-resume.reconnaissance.begin] */
    s->first_initial_packet = s->after_highest_sent;
    return CAREFUL_RESUME_RFC_9959_RESUMING;
}

/* 3.1: Lifetime is a timestamp; after it the parameters must not be used. */
static inline int careful_resume_rfc_9959_lifetime_exceeded(const struct careful_resume_rfc_9959_saved *saved, uint64_t now) {
    return now > saved->expires; /* NONE is above every time */
}

/* There is data to send; flow control (4.7) may allow more than the window. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_backlog(struct careful_resume_rfc_9959 *s, uint64_t now, uint64_t queued_bytes, uint64_t receive_window_bytes,
                                   struct careful_resume_rfc_9959_window *window) {
    s->waiting = careful_resume_rfc_9959_smaller(queued_bytes, receive_window_bytes); /* [careful-resume.flow-control] */
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE)
        return careful_resume_rfc_9959_enter_unvalidated_if(s, now, window);
    return careful_resume_rfc_9959_leave_unvalidated_if(s, now, CAREFUL_RESUME_RFC_9959_NORMAL, 0, window);
}

/* CWND was increased using normal CC [careful-resume.reconnaissance.unchanged]. The initial data is all data sent
 * before its first ACK (open). */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_ack_in_reconnaissance(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_ack *ack,
                                                 struct careful_resume_rfc_9959_window *window) {
    if (s->after_last_initial_packet == 0 && ack->runs[ack->run_count - 1].last >= s->first_initial_packet)
        s->after_last_initial_packet = s->after_highest_sent; /* [careful-resume.reconnaissance.initial-data] */
    for (uint32_t i = 0; i < ack->run_count; i++) {
        uint64_t first = careful_resume_rfc_9959_larger(ack->runs[i].first, s->first_initial_packet);
        uint64_t end = careful_resume_rfc_9959_smaller(ack->runs[i].last + 1, s->after_last_initial_packet);
        uint64_t bytes = end > first ? (end - first) * ack->runs[i].size_bytes : 0; /* bytes of one ACK: below 2^48 */
        s->initial_data -= careful_resume_rfc_9959_smaller(bytes, s->initial_data);
    }
    if (ack->rtt != CAREFUL_RESUME_RFC_9959_NONE) {
        s->minimum_rtt = careful_resume_rfc_9959_smaller(s->minimum_rtt, ack->rtt);
        if (!careful_resume_rfc_9959_rtt_is_valid(s, s->minimum_rtt))
            return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_RTT_NOT_VALIDATED,
                                                CAREFUL_RESUME_RFC_9959_TRIGGER_RTT_NOT_VALIDATED);
    }
    return careful_resume_rfc_9959_enter_unvalidated_if(s, ack->now, window);
}

/* More than half of saved_rtt (3.2); the current RTT is at most ten times saved_rtt (4.2.1). 10 * 2^59 < 2^64. */
static inline int careful_resume_rfc_9959_rtt_is_valid(const struct careful_resume_rfc_9959 *s, uint64_t rtt) {
    if (2 * rtt <= s->saved.saved_rtt)
        return 0; /* [careful-resume.reconnaissance.rtt] */
    return s->current_rtt <= 10 * s->saved.saved_rtt; /* [careful-resume.reconnaissance.rtt-high] */
}

/* Path confirmed: all the initial data is acknowledged. Deferred until there is more data than normal CC permits. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_unvalidated_if(struct careful_resume_rfc_9959 *s, uint64_t now,
                                             struct careful_resume_rfc_9959_window *window) {
    if (s->after_last_initial_packet == 0 || s->initial_data > 0 || s->minimum_rtt == CAREFUL_RESUME_RFC_9959_NONE)
        return CAREFUL_RESUME_RFC_9959_NORMAL; /* [careful-resume.reconnaissance.sample] */
    if (s->flight_size >= window->cwnd ? s->waiting == 0 : s->waiting <= window->cwnd - s->flight_size)
        return CAREFUL_RESUME_RFC_9959_NORMAL; /* [careful-resume.reconnaissance.wait] */
    return careful_resume_rfc_9959_enter_unvalidated(s, now, window); /* [careful-resume.reconnaissance.confirmed] */
}

/* Unvalidated Phase (3.3) */

/* PipeSize is the flight_size. CWND = jump_cwnd, if that is larger (open). */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_unvalidated(struct careful_resume_rfc_9959 *s, uint64_t now,
                                          struct careful_resume_rfc_9959_window *window) {
    uint64_t jump_cwnd = s->saved.saved_cwnd / 2;                               /* [careful-resume.jump.half] */
    jump_cwnd = careful_resume_rfc_9959_smaller(s->saved.max_jump, jump_cwnd); /* [careful-resume.jump.maximum] */
    if (jump_cwnd <= window->cwnd)
        return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_JUMP_NOT_LARGER, 0); /* [careful-resume.jump.not-larger] */
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED;
    s->triggers = CAREFUL_RESUME_RFC_9959_TRIGGER_CONGESTION_WINDOW_LIMITED;
    s->pipesize = s->flight_size;               /* [careful-resume.pipesize.begin] */
    s->jump_cwnd = window->cwnd = jump_cwnd; /* [careful-resume.jump.enter] */
    s->entry_ns = s->paced_from_ns = now;
    s->paced_rtt = s->current_rtt;
    return CAREFUL_RESUME_RFC_9959_JUMPED;
}

/* Completed sending all unvalidated packets: less than one packet of CWND is unused. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_sent_in_unvalidated(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_sent *sent,
                                               struct careful_resume_rfc_9959_window *window) {
    uint32_t trigger = 0;
    if (s->after_first_unvalidated_packet == 0)
        s->after_first_unvalidated_packet = sent->first + 1; /* [careful-resume.marks.first] */
    s->after_last_unvalidated_packet = sent->last + 1;       /* [careful-resume.marks.last] */
    careful_resume_rfc_9959_pace(s, sent);
    if (window->cwnd < s->flight_size + s->max_datagram_size)
        trigger = CAREFUL_RESUME_RFC_9959_TRIGGER_LAST_UNVALIDATED_PACKET_SENT;
    return careful_resume_rfc_9959_leave_unvalidated_if(s, sent->now, CAREFUL_RESUME_RFC_9959_NORMAL, trigger, window);
}

/* Return the earliest time of the next packet, at most the largest time. */
static inline uint64_t careful_resume_rfc_9959_release_time(const struct careful_resume_rfc_9959 *s) {
    uint64_t time = s->paced_from_ns + careful_resume_rfc_9959_transmission_time(s, s->paced); /* both below 2^60 */
    return careful_resume_rfc_9959_smaller(time, CAREFUL_RESUME_RFC_9959_TIME_MAX); /* [careful-resume.pacing.rounding] */
}

/* 4.3.2: ITT = (current RTT x MPS) / jump_cwnd, for any number of bytes; rounded up, and at most the largest time. The
 * product has up to 121 bits. Whole multiples of jump_cwnd are computed separately. If 64 bits are too few, the rest is
 * computed bit by bit. */
static inline uint64_t careful_resume_rfc_9959_transmission_time(const struct careful_resume_rfc_9959 *s, uint64_t size) {
    uint64_t whole = size / s->jump_cwnd, rest = size % s->jump_cwnd, time = 0, remainder = 0;
    if (s->paced_rtt > 0 && whole > CAREFUL_RESUME_RFC_9959_TIME_MAX / s->paced_rtt)
        return CAREFUL_RESUME_RFC_9959_TIME_MAX;
    if (rest == 0 || s->paced_rtt <= CAREFUL_RESUME_RFC_9959_HIDDEN(UINT64_MAX / rest)) {
        time = rest * s->paced_rtt / s->jump_cwnd;
        remainder = rest * s->paced_rtt % s->jump_cwnd;
    } else {
        for (int i = 59; i-- > 0;) {
            remainder = 2 * remainder + (s->paced_rtt >> i & 1 ? rest : 0); /* < 3 * 2^62 < 2^64 */
            uint64_t digit = remainder < s->jump_cwnd ? 0 : remainder < 2 * s->jump_cwnd ? 1 : 2;
            time = 2 * time + digit; /* at most paced_rtt */
            remainder -= digit * s->jump_cwnd;
        }
    }
    time += whole * s->paced_rtt + (remainder > 0); /* [careful-resume.pacing.schedule] [careful-resume.pacing.rounding] */
    return careful_resume_rfc_9959_smaller(time, CAREFUL_RESUME_RFC_9959_TIME_MAX);
}

/* 4.3.2: no burst is larger than IW, even if the sender is late. */
static inline void careful_resume_rfc_9959_pace(struct careful_resume_rfc_9959 *s,
                                                const struct careful_resume_rfc_9959_sent *sent) {
    uint64_t burst_bytes = s->initial_window > s->max_datagram_size ? s->initial_window - s->max_datagram_size : 0;
    uint64_t burst = careful_resume_rfc_9959_transmission_time(s, burst_bytes);
    if (sent->now > careful_resume_rfc_9959_release_time(s) + burst) {
        s->paced_from_ns = sent->now - burst; /* [careful-resume.pacing.burst] */
        s->paced = 0;
    }
    s->paced = careful_resume_rfc_9959_smaller(s->paced + sent->bytes, CAREFUL_RESUME_RFC_9959_WINDOW_MAX);
}

/* Confirm the path during transmission; receiving acknowledgement for an unvalidated packet. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_ack_in_unvalidated(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_ack *ack,
                                              struct careful_resume_rfc_9959_window *window) {
    uint32_t trigger = 0;
    if (ack->rtt != CAREFUL_RESUME_RFC_9959_NONE && !careful_resume_rfc_9959_rtt_is_valid(s, ack->rtt))
        return careful_resume_rfc_9959_enter_safe_retreat(s, CAREFUL_RESUME_RFC_9959_TRIGGER_PATH_CHANGED, ack->now,
                                                          window); /* [careful-resume.unvalidated.rtt-change] */
    if (s->current_rtt != s->paced_rtt) {
        s->paced_from_ns = careful_resume_rfc_9959_release_time(s);
        s->paced = 0;
        s->paced_rtt = s->current_rtt; /* [careful-resume.pacing.current-rtt] [careful-resume.pacing.new-sample] */
    }
    if (0 < s->after_first_unvalidated_packet && s->after_first_unvalidated_packet <= ack->runs[ack->run_count - 1].last + 1)
        trigger = CAREFUL_RESUME_RFC_9959_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED;
    return careful_resume_rfc_9959_leave_unvalidated_if(s, ack->now, CAREFUL_RESUME_RFC_9959_WINDOW_KEPT, trigger,
                                                        window); /* [careful-resume.unvalidated.no-growth] */
}

/* Limiting time: more than one RTT has elapsed. Upon any trigger check flight_size. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_leave_unvalidated_if(struct careful_resume_rfc_9959 *s, uint64_t now,
                                             enum careful_resume_rfc_9959_outcome otherwise, uint32_t triggers,
                                             struct careful_resume_rfc_9959_window *window) {
    if (s->phase != CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED)
        return otherwise;
    if (now - s->entry_ns > s->current_rtt)
        triggers |= CAREFUL_RESUME_RFC_9959_TRIGGER_RTT_EXCEEDED; /* [careful-resume.unvalidated.one-rtt] */
    if (triggers == 0)
        return otherwise;
    if (s->flight_size < s->initial_window || s->flight_size <= s->pipesize) {
        window->cwnd = careful_resume_rfc_9959_larger(s->pipesize, s->initial_window); /* [careful-resume.unvalidated.rate-limited] */
        return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_RATE_LIMITED, CAREFUL_RESUME_RFC_9959_TRIGGER_RATE_LIMITED);
    }
    window->cwnd = s->flight_size; /* [careful-resume.validating.begin] */
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING;
    s->triggers = triggers;
    return CAREFUL_RESUME_RFC_9959_VALIDATION_BEGUN;
}

/* Validating Phase (3.4) */

/* CWND was updated using the normal rules, until the last unvalidated packet, or a higher one, is acknowledged. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_ack_in_validating(struct careful_resume_rfc_9959 *s) {
    if (s->after_highest_acked < s->after_last_unvalidated_packet)
        return CAREFUL_RESUME_RFC_9959_NORMAL; /* [careful-resume.validating.growth] */
    return careful_resume_rfc_9959_stop(
        s, CAREFUL_RESUME_RFC_9959_VALIDATED,
        CAREFUL_RESUME_RFC_9959_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED); /* [careful-resume.validating.end] */
}

/* Safe Retreat Phase (3.5) */

/* CWND is reduced to PipeSize / 2, in QUIC not below two packets, and loss recovery commences.
 *
 * Your stack deletes the set of saved CC parameters for later flows. This state keeps it, since leaving Safe Retreat
 * uses its Beta. ssthresh stays until the phase ends. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_enter_safe_retreat(struct careful_resume_rfc_9959 *s, uint32_t trigger, uint64_t now,
                                           struct careful_resume_rfc_9959_window *window) {
    s->phase = CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT;
    s->triggers = trigger;
    window->cwnd = careful_resume_rfc_9959_larger(s->pipesize / 2,
                                                  2 * (uint64_t)s->max_datagram_size); /* [careful-resume.retreat.window] */
    window->recovery_start_time = now;                                                 /* [careful-resume.retreat.recovery] */
    if (s->after_last_unvalidated_packet == 0)
        s->after_last_unvalidated_packet = s->after_highest_sent; /* [careful-resume.retreat.mark] */
    return CAREFUL_RESUME_RFC_9959_RETREATED;
}

/* CWND is not increased, until the last unvalidated packet, or a later one, has been acknowledged. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_ack_in_safe_retreat(struct careful_resume_rfc_9959 *s, struct careful_resume_rfc_9959_window *window) {
    if (s->after_highest_acked < s->after_last_unvalidated_packet)
        return CAREFUL_RESUME_RFC_9959_WINDOW_KEPT; /* [careful-resume.retreat.no-growth] */
    careful_resume_rfc_9959_leave_safe_retreat(s, window);
    return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_RETREAT_ENDED,
                                        CAREFUL_RESUME_RFC_9959_TRIGGER_EXIT_RECOVERY); /* [careful-resume.retreat.end] */
}

/* On leaving, ssthresh is at most PipeSize * Beta, split by the denominator: no product has 64 bits. */
static inline void careful_resume_rfc_9959_leave_safe_retreat(const struct careful_resume_rfc_9959 *s,
                                                              struct careful_resume_rfc_9959_window *window) {
    uint64_t numerator = s->saved.beta_numerator, denominator = s->saved.beta_denominator; /* at most 1 */
    uint64_t ssthresh = s->pipesize / denominator * numerator + s->pipesize % denominator * numerator / denominator;
    if (ssthresh < window->ssthresh)
        window->ssthresh = ssthresh; /* [careful-resume.retreat.threshold] */
}

/* In every phase */

/* Update the counts of packets and bytes. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_sent(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_sent *sent,
                                struct careful_resume_rfc_9959_window *window) {
    s->flight_size = careful_resume_rfc_9959_smaller(sent->bytes_in_flight, CAREFUL_RESUME_RFC_9959_WINDOW_MAX);
    s->after_highest_sent = sent->last + 1;
    s->waiting = sent->app_limited || s->waiting < sent->bytes ? 0 : s->waiting - sent->bytes;
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED)
        return careful_resume_rfc_9959_on_sent_in_unvalidated(s, sent, window);
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE && s->after_last_initial_packet == 0)
        s->initial_data += sent->bytes;
    return CAREFUL_RESUME_RFC_9959_NORMAL;
}

/* Add newly acknowledged bytes to PipeSize before any decision. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_ack(struct careful_resume_rfc_9959 *s, const struct careful_resume_rfc_9959_ack *ack,
                               struct careful_resume_rfc_9959_window *window) {
    s->flight_size = careful_resume_rfc_9959_smaller(ack->bytes_in_flight, CAREFUL_RESUME_RFC_9959_WINDOW_MAX);
    s->after_highest_acked = careful_resume_rfc_9959_larger(s->after_highest_acked, ack->runs[ack->run_count - 1].last + 1);
    if (ack->rtt != CAREFUL_RESUME_RFC_9959_NONE)
        s->current_rtt = ack->rtt;
    s->pipesize = careful_resume_rfc_9959_smaller(s->pipesize + ack->bytes,
                                                  CAREFUL_RESUME_RFC_9959_WINDOW_MAX); /* [careful-resume.pipesize.all] */
    switch (s->phase) {
    case CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE:
        return careful_resume_rfc_9959_on_ack_in_reconnaissance(s, ack, window);
    case CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED:
        return careful_resume_rfc_9959_on_ack_in_unvalidated(s, ack, window);
    case CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING:
        return careful_resume_rfc_9959_on_ack_in_validating(s);
    case CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT:
        return careful_resume_rfc_9959_on_ack_in_safe_retreat(s, window);
    case CAREFUL_RESUME_RFC_9959_PHASE_NORMAL:
        break;
    }
    return CAREFUL_RESUME_RFC_9959_NORMAL; /* [careful-resume.normal] */
}

/* Call before careful_resume_rfc_9959_on_ack: returns whether your controller processes the ACK, and its ssthresh for
 * this ACK only. 3.7: slow start if CWND is less than or equal to ssthresh; RFC 9002: only below. */
static inline int careful_resume_rfc_9959_on_ack_in_normal_cc(const struct careful_resume_rfc_9959 *s,
                                                              const struct careful_resume_rfc_9959_window *window,
                                                              uint64_t *threshold) {
    *threshold = window->ssthresh;
    if (window->cwnd == window->ssthresh)
        *threshold = window->ssthresh + 1; /* [careful-resume.normal.at-threshold] */
    return s->phase != CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED && s->phase != CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT;
}

/* Packet loss or ECN-CE marking of any packet. The reaction to another one in Safe Retreat is open. bytes_in_flight:
 * after the loss; on ECN-CE as before. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_detected_congestion(struct careful_resume_rfc_9959 *s, uint32_t trigger, uint64_t now,
                                               uint64_t bytes_in_flight, struct careful_resume_rfc_9959_window *window) {
    if (trigger == CAREFUL_RESUME_RFC_9959_TRIGGER_PACKET_LOSS)
        s->flight_size = careful_resume_rfc_9959_smaller(bytes_in_flight, CAREFUL_RESUME_RFC_9959_WINDOW_MAX);
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT)
        return CAREFUL_RESUME_RFC_9959_ALREADY_REDUCED; /* [careful-resume.retreat.once] */
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED || s->phase == CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING)
        return careful_resume_rfc_9959_enter_safe_retreat(s, trigger, now, window); /* [careful-resume.unvalidated.loss] */
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE)
        careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_NORMAL, trigger); /* [careful-resume.reconnaissance.congestion] */
    return CAREFUL_RESUME_RFC_9959_NORMAL;
}

/* A signal that the path is different. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_path_change(struct careful_resume_rfc_9959 *s, uint64_t now, struct careful_resume_rfc_9959_window *window) {
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE)
        return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_PATH_CHANGED, 0); /* [careful-resume.reconnaissance.path] */
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED)
        return careful_resume_rfc_9959_enter_safe_retreat(s, CAREFUL_RESUME_RFC_9959_TRIGGER_PATH_CHANGED, now,
                                                          window); /* [careful-resume.unvalidated.path] */
    return CAREFUL_RESUME_RFC_9959_NORMAL;
}

/* 3.6: stop using Careful Resume; that leaves Safe Retreat, too. Then your controller collapses its window. */
static inline enum careful_resume_rfc_9959_outcome
careful_resume_rfc_9959_on_persistent_congestion(struct careful_resume_rfc_9959 *s, struct careful_resume_rfc_9959_window *window) {
    if (s->phase == CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT)
        careful_resume_rfc_9959_leave_safe_retreat(s, window); /* [careful-resume.persistent.threshold] */
    return careful_resume_rfc_9959_stop(s, CAREFUL_RESUME_RFC_9959_NORMAL, 0); /* [careful-resume.persistent] */
}

#endif
