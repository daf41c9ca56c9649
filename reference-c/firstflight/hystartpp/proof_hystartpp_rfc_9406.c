#include "hystartpp_rfc_9406.h"
#include "hystartpp_rfc_9406_invariant.h"
#include "proof.h"

static struct hystartpp_rfc_9406 any_state(uint64_t acks) {
    struct hystartpp_rfc_9406 s;
    ASSUME(hystartpp_rfc_9406_invariant(&s, acks));
    return s;
}

static struct hystartpp_rfc_9406_ack any_ack(void) {
    struct hystartpp_rfc_9406_ack ack;
    ASSUME(ack.bytes < ACK_END && ack.largest_packet < WINDOW_END && ack.snd_nxt <= WINDOW_END);
    ASSUME(ack.rtt_ns < TIME_END || ack.rtt_ns == HYSTARTPP_RFC_9406_NO_SAMPLE);
    return ack;
}

void prove_begin(void) {
    struct hystartpp_rfc_9406 s;
    hystartpp_rfc_9406_begin(&s);
    PROVE(hystartpp_rfc_9406_invariant(&s, 0));
}

void prove_on_congestion(uint64_t acks) {
    struct hystartpp_rfc_9406 s = any_state(acks);
    hystartpp_rfc_9406_on_congestion(&s);
    PROVE(hystartpp_rfc_9406_invariant(&s, acks));
}

/* ssthresh is infinite; there are at most 2^64 - 1 ACKs. */
void prove_on_ack(uint64_t acks, uint64_t cwnd) {
    struct hystartpp_rfc_9406 s = any_state(acks);
    struct hystartpp_rfc_9406_ack ack = any_ack();
    uint64_t ssthresh = UINT64_MAX, before = cwnd;
    ASSUME(acks < UINT64_MAX && cwnd < WINDOW_END);
    ASSUME(s.in_css || s.css_rounds < HYSTARTPP_RFC_9406_CSS_ROUNDS);
    int outcome = (int)hystartpp_rfc_9406_on_ack(&s, &ack, &cwnd, &ssthresh);
    PROVE(hystartpp_rfc_9406_invariant(&s, acks + 1));
    PROVE(cwnd >= before && cwnd - before < ACK_END);
    PROVE(ssthresh == (outcome == HYSTARTPP_RFC_9406_EXITED ? cwnd : UINT64_MAX));
    PROVE(outcome == HYSTARTPP_RFC_9406_EXITED || s.in_css || s.css_rounds < HYSTARTPP_RFC_9406_CSS_ROUNDS);
}

/* Equivalence of the port and the header in the profile of its text, in slow start. From any two equivalent states the
 * same ACK gives the same outcome and equivalent states. By induction the outcomes are always the same. */
#include "firstflight/hystartpp/hystartpp.c"
#include "firstflight/hystartpp/profiles.c"
#include "firstflight/bases.c"
#include "firstflight/newreno/newreno.c"

static uint64_t in_the_port(uint64_t rtt) {
    return rtt == HYSTARTPP_RFC_9406_INFINITY ? FF_NO_RTT_NS : rtt;
}

static int stand_for_each_other(const struct hystartpp_rfc_9406 *s, const struct ff_hystartpp *port) {
    uint64_t samples = s->rtt_sample_count < FF_HYSTARTPP_RTT_SAMPLES ? s->rtt_sample_count : FF_HYSTARTPP_RTT_SAMPLES;
    int rounds = port->round_end_packet == s->window_end && port->rtt_samples == samples;
    int rtts = port->current_min_ns == in_the_port(s->current_round_min_rtt) && port->last_min_ns == in_the_port(s->last_round_min_rtt);
    int css = port->conservative == s->in_css && port->css_rounds == s->css_rounds;
    return rounds && rtts && css && (s->in_css ? port->baseline_ns == in_the_port(s->css_baseline_min_rtt) : s->css_rounds == 0);
}

/* Assume that one ACK does not raise the window to its bound: there CSS divides before the header cuts off, but after
 * the port cuts off. */
static void set_slow_start(struct ff_base_state *base) {
    ASSUME(base->cwnd_bytes < WINDOW_END - ACK_END && base->max_datagram_size_bytes >= 1 && base->max_datagram_size_bytes < SIZE_END);
    base->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    base->recovery_start_ns = FF_NONE;
    base->in_recovery = false;
    base->base = FF_BASE_NEWRENO;
    base->growth = FF_NEWRENO_GROWTH_BYTES;
}

void prove_begin_as_the_port(void) {
    struct hystartpp_rfc_9406 s;
    struct ff_hystartpp port;
    struct ff_base_state base;
    set_slow_start(&base);
    hystartpp_rfc_9406_begin(&s);
    ff_hystartpp_begin(&ff_hystartpp_profiles[FF_HYSTARTPP_PROFILE_RFC_9406].readings, &port, &base);
    PROVE(stand_for_each_other(&s, &port));
}

void prove_on_ack_as_the_port(uint64_t acks, uint64_t now_ns) {
    struct hystartpp_rfc_9406 s = any_state(acks);
    struct hystartpp_rfc_9406_ack ack = any_ack();
    struct ff_hystartpp port;
    struct ff_hystartpp_readings readings = ff_hystartpp_profiles[FF_HYSTARTPP_PROFILE_RFC_9406].readings;
    struct ff_base_state base;
    struct ff_run run;
    struct ff_event event;
    ASSUME(acks < WINDOW_END && stand_for_each_other(&s, &port));
    set_slow_start(&base);
    uint64_t cwnd = base.cwnd_bytes, ssthresh = base.ssthresh_bytes;
    ASSUME(ack.app_limited == 0 || ack.app_limited == 1);
    run.last = ack.largest_packet;
    event.kind = FF_EVENT_ACK;
    event.t_ns = now_ns;
    event.ack.packets = &run;
    event.ack.run_count = 1;
    event.ack.bytes = ack.bytes;
    event.ack.next_packet = ack.snd_nxt;
    event.ack.app_limited = ack.app_limited;
    event.ack.latest_rtt_ns = ack.rtt_ns;
    hystartpp_rfc_9406_on_ack(&s, &ack, &cwnd, &ssthresh);
    ff_hystartpp_step(&readings, &port, &base, &event, NULL);
    PROVE(cwnd == base.cwnd_bytes);
    PROVE(ssthresh == base.ssthresh_bytes);
    PROVE(s.in_css == port.conservative);
    PROVE(ssthresh != FF_SSTHRESH_INFINITE || stand_for_each_other(&s, &port));
}
