/* SEARCH, draft-chung-ccwg-search-09, on the kernel's Reno or CUBIC. Sent bytes are counted when an ACK arrives. */
#include "base.h"
#include "search_draft_09.h"

#define SEARCH struct search_draft_09
#include "search_ack.h"

SEC("struct_ops/init") void BPF_PROG(search_init, struct sock *sk) {
    struct connection *c = create(sk);
    base_init(sk);
    if (!c)
        return;
    search_draft_09_begin(&c->search, c->tcp.mss);
    begin(at_each_ack(sk, c), &c->tcp);
}

SEC("struct_ops/cong_avoid") void BPF_PROG(search_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (slow_start_is_over(tp)) {
        base_cong_avoid(sk, ack, acked);
        return;
    }
    struct connection *c;
    struct at_each_ack *state = state_of(sk, &c);
    if (!state)
        return;
    note_ack(state, tp);
    if (in_same_bin(state, tp)) {
        base_cong_avoid(sk, ack, acked);
        return;
    }
    if (!c)
        c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    search_draft_09_on_sent(&c->search, sent_bytes(&c->tcp, tp) - c->search.sent_bytes);
    search_draft_09_count(&c->search, acked_bytes(&c->tcp, tp) - c->search.acked_bytes);
    if (state->rtt_us)
        search_draft_09_rtt(&c->search, (uint64_t)state->rtt_us * 1000);
    enum search_draft_09_outcome outcome = SEARCH_DRAFT_09_SAME_BIN;
    if (in_slow_start(tp)) {
        uint64_t cwnd = cwnd_bytes(&c->tcp, tp), old = cwnd;
        outcome = search_draft_09_on_ack(&c->search, now_ns(tp), acked, in_flight(&c->tcp, tp), &cwnd);
        if (cwnd != old)
            set_cwnd(&c->tcp, tp, cwnd);
        state->bin_end_ns = c->search.bin_end_ns;
    }
    if (outcome == SEARCH_DRAFT_09_DRAINED)
        tp->snd_ssthresh = tp->snd_cwnd;
    else if (outcome != SEARCH_DRAFT_09_EXITED && outcome != SEARCH_DRAFT_09_DRAINING)
        base_cong_avoid(sk, ack, acked);
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/set_state") void BPF_PROG(search_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    base_set_state(sk, state);
    if (c && state == CA_LOSS) {
        search_draft_09_restart(&c->search);
        at_each_ack(sk, c)->bin_end_ns = 0;
    }
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(search_ssthresh, struct sock *sk) { return base_ssthresh(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)search_init,
    .cong_avoid = (void *)search_cong_avoid,
    .set_state = (void *)search_set_state,
    .ssthresh = (void *)search_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
