#include "jumpstart_pfldnet_2007.h"
#include "jumpstart_pfldnet_2007_invariant.h"
#include "proof.h"

enum { RANGES = 3 }; /* of an event at most */

static struct jumpstart_pfldnet_2007_window window;

static struct jumpstart_pfldnet_2007 any_state(void) {
    struct jumpstart_pfldnet_2007 s;
    struct jumpstart_pfldnet_2007_window any;
    ASSUME(any.cwnd < WINDOW_END && (any.ssthresh < WINDOW_END || any.ssthresh == UINT64_MAX));
    ASSUME(any.recovery_start_time < TIME_END && jumpstart_pfldnet_2007_invariant(&s, &any));
    ASSUME(jumpstart_pfldnet_2007_r_invariant(&s));
    window = any;
    return s;
}

static void prove_invariant(const struct jumpstart_pfldnet_2007 *s) {
    PROVE(jumpstart_pfldnet_2007_invariant(s, &window) && jumpstart_pfldnet_2007_r_invariant(s));
    PROVE(window.cwnd < WINDOW_END && (window.ssthresh < WINDOW_END || window.ssthresh == UINT64_MAX));
}

void prove_begin(uint32_t max_datagram_size) {
    struct jumpstart_pfldnet_2007 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    jumpstart_pfldnet_2007_begin(&s, max_datagram_size);
    prove_invariant(&s);
}

void prove_next_release_ns(void) {
    struct jumpstart_pfldnet_2007 s = any_state();
    uint64_t release = jumpstart_pfldnet_2007_next_release_ns(&s);
    PROVE(!s.jumping || release <= s.start_ns + s.rtt_ns);
}

void prove_on_backlog(void) {
    struct jumpstart_pfldnet_2007 s = any_state();
    struct jumpstart_pfldnet_2007_backlog backlog;
    ASSUME(backlog.now_ns > 0 && backlog.now_ns < TIME_END && backlog.receive_window_bytes < WINDOW_END);
    ASSUME(backlog.latest_rtt_ns < TIME_END || backlog.latest_rtt_ns == JUMPSTART_PFLDNET_2007_NONE);
    jumpstart_pfldnet_2007_on_backlog(&s, &backlog, &window);
    prove_invariant(&s);
}

/* Numbers rise, and no more packets are sent again than are sent. */
void prove_on_sent(void) {
    struct jumpstart_pfldnet_2007 s = any_state();
    struct jumpstart_pfldnet_2007_sent sent;
    struct jumpstart_pfldnet_2007_range ranges[RANGES];
    uint64_t again = 0;
    ASSUME(sent.packets >= 1 && sent.packets < WINDOW_END && sent.last < WINDOW_END && sent.retransmit_count <= RANGES);
    ASSUME(sent.last >= s.next_packet && sent.packets <= sent.last - s.next_packet + 1);
    for (uint32_t i = 0; i < RANGES; i++)
        if (i < sent.retransmit_count) {
            ASSUME(ranges[i].first <= ranges[i].last && ranges[i].last < WINDOW_END);
            again += ranges[i].last - ranges[i].first + 1;
        }
    ASSUME(again <= sent.packets);
    sent.retransmits = ranges;
    jumpstart_pfldnet_2007_on_sent(&s, &sent);
    prove_invariant(&s);
}

void prove_on_ack(void) {
    struct jumpstart_pfldnet_2007 s = any_state();
    struct jumpstart_pfldnet_2007_ack ack;
    ASSUME(ack.largest_packet < WINDOW_END && ack.latest_sent_time < TIME_END);
    ASSUME(ack.oldest_unacked_packet <= WINDOW_END || ack.oldest_unacked_packet == JUMPSTART_PFLDNET_2007_NONE);
    jumpstart_pfldnet_2007_on_ack(&s, &ack, &window);
    prove_invariant(&s);
}

void prove_on_lost(uint64_t sent_time, uint64_t now, uint32_t count) {
    struct jumpstart_pfldnet_2007 s = any_state();
    struct jumpstart_pfldnet_2007_range ranges[RANGES];
    ASSUME(sent_time > 0 && sent_time <= now && now < TIME_END && count <= RANGES);
    for (uint32_t i = 0; i < RANGES; i++)
        ASSUME(ranges[i].first <= ranges[i].last && ranges[i].last < WINDOW_END && (i == 0 || ranges[i - 1].last < ranges[i].first));
    jumpstart_pfldnet_2007_on_lost(&s, ranges, count, sent_time, now, &window);
    prove_invariant(&s);
}

void prove_on_ce(uint64_t packet, uint64_t sent_time, uint64_t now) {
    struct jumpstart_pfldnet_2007 s = any_state();
    ASSUME(packet < WINDOW_END && sent_time > 0 && sent_time <= now && now < TIME_END);
    jumpstart_pfldnet_2007_on_ce(&s, packet, sent_time, now, &window);
    prove_invariant(&s);
}

void prove_on_timeout(void) {
    struct jumpstart_pfldnet_2007 s = any_state();
    jumpstart_pfldnet_2007_on_timeout(&s, &window);
    prove_invariant(&s);
}
