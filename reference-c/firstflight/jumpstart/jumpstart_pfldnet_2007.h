/*
 * D. Liu, M. Allman, S. Jin, L. Wang, "Congestion Control Without a Startup Phase", PFLDnet 2007: Jump Start, section II, in one header
 * to be copied into a stack. C11 and C++17; no allocation, no floating point, no global state.
 *
 * The paper counts packets, here maximum datagrams; the window is in bytes. Its timeout is persistent congestion.
 * "Open": the paper leaves the choice to the implementer. The same functions in the same order are in reference-py,
 * jumpstart/plain_jumpstart_pfldnet_2007.py.
 *
 *     struct jumpstart_pfldnet_2007 jump;
 *     struct jumpstart_pfldnet_2007_window window; // of your controller: copy it in before each call and out after it
 *     jumpstart_pfldnet_2007_begin(&jump, max_datagram_size);
 *     ... when there is data to send, or the receive window changes: jumpstart_pfldnet_2007_on_backlog(&jump, &backlog, &window);
 *     ... for packets sent: jumpstart_pfldnet_2007_on_sent(...); while jump.jumping, not before jumpstart_pfldnet_2007_next_release_ns(&jump)
 *     ... for each ACK frame: jumpstart_pfldnet_2007_on_ack(&jump, &ack, &window); on NORMAL and JUMP_ENDED your controller processes it
 *     ... for lost packets, and when the ECN-CE counter rises, instead of your controller:
 *     jumpstart_pfldnet_2007_on_lost(...),
 *     jumpstart_pfldnet_2007_on_ce(...)
 *     ... on persistent congestion, instead of your controller: jumpstart_pfldnet_2007_on_timeout(&jump, &window).
 *
 * Domain: times in ns from 1, below 2^59 (18 years); packet numbers, windows and bytes in flight below 2^62; a datagram below 2^16.
 *
 * Invariant: sent_packets <= planned_packets <= paced_packets < 2^29; first <= end <= next_packet; recovery_point and r <= next_packet;
 * Jump Start and recovery exclude each other. No more packets are sent again than are sent.
 */
#ifndef JUMPSTART_PFLDNET_2007_H
#define JUMPSTART_PFLDNET_2007_H

#include <stdint.h>

#define JUMPSTART_PFLDNET_2007_NONE UINT64_MAX /* no RTT sample, no packet number */
#define JUMPSTART_PFLDNET_2007_JUMP_MAX ((UINT64_C(1) << 29) - 1) /* bytes of the first flight; more is cut off */

enum jumpstart_pfldnet_2007_outcome {
    JUMPSTART_PFLDNET_2007_NORMAL, /* your controller processes the ACK */
    JUMPSTART_PFLDNET_2007_JUMP_SPENT,
    JUMPSTART_PFLDNET_2007_JUMP_BARRED,
    JUMPSTART_PFLDNET_2007_NO_RTT_SAMPLE,
    JUMPSTART_PFLDNET_2007_NOTHING_TO_JUMP,
    JUMPSTART_PFLDNET_2007_JUMP_BEGUN,
    JUMPSTART_PFLDNET_2007_JUMP_KEPT,
    JUMPSTART_PFLDNET_2007_JUMP_CHANGED,
    JUMPSTART_PFLDNET_2007_SENT,
    JUMPSTART_PFLDNET_2007_JUMP_SENT,
    JUMPSTART_PFLDNET_2007_JUMP_ENDED, /* your controller processes the ACK */
    JUMPSTART_PFLDNET_2007_IN_RECOVERY,
    JUMPSTART_PFLDNET_2007_JUMP_ACCOUNTED,
    JUMPSTART_PFLDNET_2007_REDUCED,
    JUMPSTART_PFLDNET_2007_ALREADY_REDUCED,
    JUMPSTART_PFLDNET_2007_COLLAPSED
};

/* State of your controller that Jump Start reads and sets. Member ssthresh is UINT64_MAX while it is infinite. Member
 * recovery_start_time is the time of the last reduction, 0 before the first. With in_recovery a recovery period is in
 * progress. */
struct jumpstart_pfldnet_2007_window {
    uint64_t cwnd;
    uint64_t ssthresh;
    uint64_t recovery_start_time;
    int in_recovery;
};

/* The first flight is the packets sent while Jump Start lasted: sent_packets packets, with numbers from first up to, not including, end. */
struct jumpstart_pfldnet_2007 {
    uint64_t max_datagram_size;
    /* Packets paced over rtt_ns from start_ns on; packets of them that the receiver allows; packets sent. */
    uint64_t paced_packets;
    uint64_t rtt_ns;
    uint64_t start_ns;
    uint64_t planned_packets;
    uint64_t sent_packets;
    uint64_t first;
    uint64_t end;
    uint64_t r;
    /* Loss recovery lasts until all data below recovery_point is acknowledged: next_packet at its beginning, the number
     * after the last packet that was sent in flight. Flags: whether (D - R) / 2 ends it, once. */
    uint64_t recovery_point;
    uint64_t next_packet;
    uint8_t begun;
    uint8_t jumping;
    uint8_t lost_of_first_flight;
    uint8_t accounted;
};

/* Packet numbers, both included. */
struct jumpstart_pfldnet_2007_range {
    uint64_t first;
    uint64_t last;
};

/* Data is ready to be sent: queued, and allowed by the receiver from now on. latest_rtt_ns: NONE before the first sample. */
struct jumpstart_pfldnet_2007_backlog {
    uint64_t now_ns;
    uint64_t queued_bytes;
    uint64_t receive_window_bytes;
    uint64_t latest_rtt_ns;
};

/* Packets were sent, with consecutive numbers up to last. Leave out packets that contain only ACK frames: they are not in flight.
 * retransmits: packets that first carried the repeated data. */
struct jumpstart_pfldnet_2007_sent {
    uint64_t packets;
    uint64_t last;
    const struct jumpstart_pfldnet_2007_range *retransmits;
    uint32_t retransmit_count;
};

/* An ACK frame: largest packet and latest sending time of newly acknowledged packets. Member oldest_unacked_packet is
 * the first packet with unacknowledged data, or the next packet number if none has; NONE if the stack does not provide
 * it. */
struct jumpstart_pfldnet_2007_ack {
    uint64_t largest_packet;
    uint64_t latest_sent_time;
    uint64_t oldest_unacked_packet;
};

static inline enum jumpstart_pfldnet_2007_outcome jumpstart_pfldnet_2007_on_window_update(struct jumpstart_pfldnet_2007 *s,
                                                                                          uint64_t window_packets);
static inline uint64_t jumpstart_pfldnet_2007_of_first_flight(const struct jumpstart_pfldnet_2007 *s, uint64_t first, uint64_t last);
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_ack_in_recovery(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_ack *ack,
                                          struct jumpstart_pfldnet_2007_window *window);
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_account(struct jumpstart_pfldnet_2007 *s, struct jumpstart_pfldnet_2007_window *window);
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_congestion_event(struct jumpstart_pfldnet_2007 *s, uint64_t sent_time, uint64_t now,
                                           uint64_t packets_of_first_flight, struct jumpstart_pfldnet_2007_window *window);

/* The D packets are paced over the first RTT: packet i leaves after i / D of the RTT (open). The product i * rtt / D is
 * split into quotient and rest of rtt / D: i and the rest are at most D < 2^29. */
static inline uint64_t jumpstart_pfldnet_2007_next_release_ns(const struct jumpstart_pfldnet_2007 *s) {
    if (!s->jumping)
        return JUMPSTART_PFLDNET_2007_NONE;
    uint64_t whole = s->rtt_ns / s->paced_packets * s->sent_packets;
    uint64_t part = s->rtt_ns % s->paced_packets * s->sent_packets / s->paced_packets;
    return s->start_ns + whole + part; /* [jumpstart.pacing.packets] */
}

/* Begin; before the jump the connection is ordinary. */
static inline void jumpstart_pfldnet_2007_begin(struct jumpstart_pfldnet_2007 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size;
    s->paced_packets = s->planned_packets = s->sent_packets = 0;
    s->rtt_ns = s->start_ns = 0;
    s->first = s->end = s->r = 0;
    s->recovery_point = s->next_packet = 0;
    s->begun = s->jumping = s->lost_of_first_flight = s->accounted = 0;
}

/* After the handshake: D is the minimum of the receiver's advertised window and the data queued. Setting cwnd to D is
 * open. */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_backlog(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_backlog *backlog,
                                  struct jumpstart_pfldnet_2007_window *window) {
    uint64_t size = s->max_datagram_size, queued_bytes = backlog->queued_bytes;
    uint64_t window_packets = backlog->receive_window_bytes / size;
    if (s->jumping)
        return jumpstart_pfldnet_2007_on_window_update(s, window_packets);
    if (s->begun)
        return JUMPSTART_PFLDNET_2007_JUMP_SPENT; /* [jumpstart.start.once] */
    if (window->in_recovery)
        return JUMPSTART_PFLDNET_2007_JUMP_BARRED; /* [jumpstart.start.barred] */
    if (backlog->latest_rtt_ns == JUMPSTART_PFLDNET_2007_NONE)
        return JUMPSTART_PFLDNET_2007_NO_RTT_SAMPLE; /* [jumpstart.start.no-rtt] */
    if (queued_bytes > JUMPSTART_PFLDNET_2007_JUMP_MAX)
        queued_bytes = JUMPSTART_PFLDNET_2007_JUMP_MAX; /* [jumpstart.amount.maximum] */
    uint64_t packets = (queued_bytes + size - 1) / size; /* [jumpstart.amount.queued] */
    if (packets > window_packets)
        packets = window_packets; /* [jumpstart.amount.receive-window] */
    if (packets == 0)
        return JUMPSTART_PFLDNET_2007_NOTHING_TO_JUMP; /* [jumpstart.start.nothing] */
    s->begun = s->jumping = 1;
    s->paced_packets = s->planned_packets = packets;
    s->rtt_ns = backlog->latest_rtt_ns;
    s->start_ns = backlog->now_ns;
    s->first = s->end = s->next_packet;
    window->cwnd = packets * size; /* [jumpstart.start.window] */
    if (window->cwnd > JUMPSTART_PFLDNET_2007_JUMP_MAX)
        window->cwnd = JUMPSTART_PFLDNET_2007_JUMP_MAX;
    return JUMPSTART_PFLDNET_2007_JUMP_BEGUN;
}

/* D is determined once, but the receiver's advertised window still applies (open). */
static inline enum jumpstart_pfldnet_2007_outcome jumpstart_pfldnet_2007_on_window_update(struct jumpstart_pfldnet_2007 *s,
                                                                                          uint64_t window_packets) {
    if (s->sent_packets + window_packets >= s->planned_packets)
        return JUMPSTART_PFLDNET_2007_JUMP_KEPT;            /* [jumpstart.flight.frozen] */
    s->planned_packets = s->sent_packets + window_packets; /* [jumpstart.flight.window-shrinks] */
    if (window_packets == 0)
        s->jumping = 0;
    return JUMPSTART_PFLDNET_2007_JUMP_CHANGED;
}

/* Jump Start terminates when all D packets are transmitted. R counts the retransmissions: of the first flight's data (open). */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_sent(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_sent *sent) {
    s->next_packet = sent->last + 1;
    /* R counts during loss recovery: it is reset at its beginning and read at its end. */
    for (uint32_t i = 0; i < sent->retransmit_count; i++)
        s->r += jumpstart_pfldnet_2007_of_first_flight(s, sent->retransmits[i].first,
                                                       sent->retransmits[i].last); /* [jumpstart.loss.count] */
    if (!s->jumping)
        return JUMPSTART_PFLDNET_2007_SENT;
    uint64_t first = sent->last + 1 - sent->packets, left = s->planned_packets - s->sent_packets;
    uint64_t packets = sent->packets < left ? sent->packets : left; /* [jumpstart.flight] */
    if (s->sent_packets == 0)
        s->first = first; /* packets not in flight may have been sent since the jump began */
    s->sent_packets += packets;
    s->end = first + packets;
    if (s->sent_packets < s->planned_packets)
        return JUMPSTART_PFLDNET_2007_SENT;
    s->jumping = 0; /* [jumpstart.end.sent] */
    return JUMPSTART_PFLDNET_2007_JUMP_SENT;
}

/* Jump Start terminates when an ACK of the first flight arrives (open); normal congestion control then processes this
 * ACK. Jump Start and recovery exclude each other. */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_ack(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_ack *ack,
                              struct jumpstart_pfldnet_2007_window *window) {
    if (s->jumping && ack->largest_packet >= s->first) {
        s->jumping = 0; /* [jumpstart.end.ack] */
        return JUMPSTART_PFLDNET_2007_JUMP_ENDED;
    }
    if (window->in_recovery)
        return jumpstart_pfldnet_2007_on_ack_in_recovery(s, ack, window);
    return JUMPSTART_PFLDNET_2007_NORMAL;
}

/* Return the number of packets that belong to the first RTT of data transmission. */
static inline uint64_t jumpstart_pfldnet_2007_of_first_flight(const struct jumpstart_pfldnet_2007 *s, uint64_t first, uint64_t last) {
    uint64_t end = last + 1 < s->end ? last + 1 : s->end;
    uint64_t begin = first > s->first ? first : s->first;
    return end > begin ? end - begin : 0;
}

/* Standard loss recovery: the window does not grow until it ends. */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_ack_in_recovery(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_ack *ack,
                                          struct jumpstart_pfldnet_2007_window *window) {
    if (ack->oldest_unacked_packet == JUMPSTART_PFLDNET_2007_NONE)
        window->in_recovery = ack->latest_sent_time <= window->recovery_start_time;
    else if (ack->oldest_unacked_packet >= s->recovery_point)
        window->in_recovery = 0; /* [jumpstart.recovery.all-data] */
    if (window->in_recovery)
        return JUMPSTART_PFLDNET_2007_IN_RECOVERY;
    return s->lost_of_first_flight ? jumpstart_pfldnet_2007_account(s, window) : JUMPSTART_PFLDNET_2007_NORMAL;
}

/* At the end of loss recovery: cwnd = (D - R) / 2, which further reduces it. D: packets sent, fewer than
 * planned if the jump ended early. Open: this D, rounding, minimum values, threshold, and applying it once. */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_account(struct jumpstart_pfldnet_2007 *s, struct jumpstart_pfldnet_2007_window *window) {
    s->lost_of_first_flight = 0;
    s->accounted = 1;
    uint64_t d = s->sent_packets, minimum_window = 2 * s->max_datagram_size;
    uint64_t packets = d > s->r + 1 ? (d - s->r) / 2 : 1; /* [jumpstart.account.half] [jumpstart.account.floor] */
    uint64_t half = packets * s->max_datagram_size;
    if (half < window->cwnd)
        window->cwnd = half;                                                             /* [jumpstart.account.never-raises] */
    window->ssthresh = window->cwnd > minimum_window ? window->cwnd : minimum_window; /* [jumpstart.account.threshold] */
    return JUMPSTART_PFLDNET_2007_JUMP_ACCOUNTED;
}

/* Loss from the first RTT will be accounted for at the end of its recovery. sent_time_of_last_loss: the latest sending
 * time of the lost packets. */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_lost(struct jumpstart_pfldnet_2007 *s, const struct jumpstart_pfldnet_2007_range *lost, uint32_t lost_count,
                               uint64_t sent_time_of_last_loss, uint64_t now, struct jumpstart_pfldnet_2007_window *window) {
    uint64_t packets = 0;
    for (uint32_t i = 0; i < lost_count; i++)
        packets += jumpstart_pfldnet_2007_of_first_flight(s, lost[i].first, lost[i].last);
    return jumpstart_pfldnet_2007_on_congestion_event(s, sent_time_of_last_loss, now, packets, window);
}

/* The paper does not cover ECN: a mark is treated as a loss without retransmission (open). packet: the largest
 * acknowledged by the frame. */
static inline enum jumpstart_pfldnet_2007_outcome jumpstart_pfldnet_2007_on_ce(struct jumpstart_pfldnet_2007 *s, uint64_t packet,
                                                                               uint64_t sent_time, uint64_t now,
                                                                               struct jumpstart_pfldnet_2007_window *window) {
    uint64_t packets = jumpstart_pfldnet_2007_of_first_flight(s, packet, packet);
    return jumpstart_pfldnet_2007_on_congestion_event(s, sent_time, now, packets, window);
}

/* Upon loss detection cwnd is halved, per normal TCP: the window, as in Jacobson 1988, which the paper cites. The
 * minimum is two packets, and Jump Start ends (both open). */
static inline enum jumpstart_pfldnet_2007_outcome
jumpstart_pfldnet_2007_on_congestion_event(struct jumpstart_pfldnet_2007 *s, uint64_t sent_time, uint64_t now,
                                           uint64_t packets_of_first_flight, struct jumpstart_pfldnet_2007_window *window) {
    enum jumpstart_pfldnet_2007_outcome outcome = JUMPSTART_PFLDNET_2007_ALREADY_REDUCED;
    if (!window->in_recovery && sent_time > window->recovery_start_time) {
        uint64_t minimum_window = 2 * s->max_datagram_size, half = window->cwnd / 2;
        window->cwnd = window->ssthresh = half > minimum_window ? half : minimum_window; /* [jumpstart.loss.reduce] */
        window->recovery_start_time = now;
        window->in_recovery = 1;
        s->recovery_point = s->next_packet;
        s->r = 0;
        s->jumping = 0;
        outcome = JUMPSTART_PFLDNET_2007_REDUCED;
    }
    if (window->in_recovery && packets_of_first_flight > 0 && !s->accounted)
        s->lost_of_first_flight = 1; /* [jumpstart.loss.scope] */
    return outcome;
}

/* IV-F, unchanged: a window of one segment, then slow start. Accounting is dropped, also of a later jump (open). */
static inline enum jumpstart_pfldnet_2007_outcome jumpstart_pfldnet_2007_on_timeout(struct jumpstart_pfldnet_2007 *s,
                                                                                    struct jumpstart_pfldnet_2007_window *window) {
    window->recovery_start_time = 0;
    window->in_recovery = 0;
    window->cwnd = s->max_datagram_size; /* [jumpstart.timeout.window] */
    s->jumping = 0;
    s->lost_of_first_flight = 0; /* [jumpstart.timeout.discard] */
    s->accounted = 1;
    return JUMPSTART_PFLDNET_2007_COLLAPSED;
}

#endif
