#include "jumpstart_pfldnet_2007.h"
#include "jumpstart_pfldnet_2007_invariant.h"
#include "proof.h"

enum { RANGES = 3 }; /* maximum per event */

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

/* Packet numbers increase, and no more packets are sent again than are sent. */
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

/* Equivalence of the port and the header in the profile of the paper. From any two equivalent states the same event
 * leads to equivalent states, and both call normal congestion control in the same state. The growth of NewReno is
 * abstract: only the state at its call is recorded. An ACK has one run of packets of SIZE bytes: for any size the
 * port's quotient is beyond SAT. */
#include "firstflight/jumpstart/jumpstart.h"
#define ff_newreno_on_ack the_growth_of_newreno
#include "firstflight/bases.c"
#include "firstflight/newreno/newreno.c"
#undef ff_newreno_on_ack
#include "firstflight/jumpstart/jumpstart.c"
#include "firstflight/jumpstart/loss.c"
#include "firstflight/jumpstart/pacing.c"
#include "firstflight/jumpstart/profiles.c"
#include "firstflight/jumpstart/state.c"

enum { SIZE = 1200 };
static struct ff_base_state grown;
static int grows;

enum ff_outcome ff_newreno_on_ack(struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack) {
    (void)t_ns, (void)ack;
    grown = *base;
    grows = 1;
    return FF_OUTCOME_GROWN;
}

static int windows_stand(const struct ff_base_state *base) {
    uint64_t start_ns = window.recovery_start_time == 0 ? FF_NONE : window.recovery_start_time;
    int flag = window.in_recovery == 0 || window.in_recovery == 1;
    return flag && base->cwnd_bytes == window.cwnd && base->ssthresh_bytes == window.ssthresh && base->recovery_start_ns == start_ns &&
           base->in_recovery == window.in_recovery && (!window.in_recovery || window.recovery_start_time > 0) && base->base == FF_BASE_NEWRENO;
}

/* The header also counts R outside of a recovery, and resets it to 0 when the next recovery begins. */
static int stand_for_each_other(const struct jumpstart_pfldnet_2007 *s, const struct ff_jumpstart *port, const struct ff_base_state *base) {
    int flags = s->begun <= 1 && s->jumping <= 1 && s->lost_of_first_flight <= 1 && s->accounted <= 1 && port->jumping == s->jumping &&
                port->spent == s->begun && port->accounting == s->lost_of_first_flight && port->accounted == s->accounted && !port->at_once;
    int plan = port->planned_packets == s->paced_packets && port->limit_packets == s->planned_packets && port->sent_packets == s->sent_packets &&
               port->rtt_ns == s->rtt_ns && port->start_ns == s->start_ns;
    int flight = port->flight_first == (s->begun ? s->first : FF_NO_PACKET) && port->flight_end == (s->begun ? s->end : FF_NO_PACKET);
    int recovery = !window.in_recovery || (port->recovery_point == s->recovery_point && port->repeats == s->r);
    /* An accounting that waits for the end of a recovery implies a recovery. */
    int waits = !s->lost_of_first_flight || window.in_recovery;
    return windows_stand(base) && base->max_datagram_size_bytes == s->max_datagram_size && port->next_packet == s->next_packet && flags && plan &&
           flight && recovery && waits;
}

static const struct ff_jumpstart_readings *in_the_paper(void) {
    return &ff_jumpstart_profiles[FF_JUMPSTART_PROFILE_PFLDNET_2007].readings;
}

void prove_begin_as_the_port(uint32_t max_datagram_size) {
    struct jumpstart_pfldnet_2007 s;
    struct ff_jumpstart port;
    struct ff_base_state base;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && base.max_datagram_size_bytes == max_datagram_size);
    ASSUME(window.recovery_start_time == 0 && !window.in_recovery && windows_stand(&base));
    jumpstart_pfldnet_2007_begin(&s, max_datagram_size);
    ff_jumpstart_begin(in_the_paper(), &port, &base);
    PROVE(stand_for_each_other(&s, &port, &base));
}

void prove_on_ack_as_the_port(uint64_t now) {
    struct jumpstart_pfldnet_2007 s = any_state();
    struct jumpstart_pfldnet_2007_ack ack;
    struct ff_jumpstart port;
    struct ff_base_state base;
    struct ff_run run;
    struct ff_event event;
    ASSUME(stand_for_each_other(&s, &port, &base) && now > 0 && now < TIME_END && s.max_datagram_size == SIZE);
    ASSUME(run.first <= run.last && run.last < s.next_packet && run.last - run.first < SIZE_END && run.sent_t_ns > 0 && run.sent_t_ns <= now);
    ASSUME(ack.oldest_unacked_packet <= WINDOW_END || ack.oldest_unacked_packet == JUMPSTART_PFLDNET_2007_NONE);
    ack.largest_packet = run.last;
    ack.latest_sent_time = run.sent_t_ns;
    event.kind = FF_EVENT_ACK;
    event.t_ns = now;
    event.ack.packets = &run;
    event.ack.run_count = 1;
    event.ack.oldest_unacked_packet = ack.oldest_unacked_packet;
    int outcome = (int)jumpstart_pfldnet_2007_on_ack(&s, &ack, &window);
    ff_jumpstart_step(in_the_paper(), &port, &base, &event, NULL);
    PROVE(stand_for_each_other(&s, &port, &base));
    PROVE(grows == (outcome == JUMPSTART_PFLDNET_2007_NORMAL || outcome == JUMPSTART_PFLDNET_2007_JUMP_ENDED));
    PROVE(!grows || windows_stand(&grown));
}
