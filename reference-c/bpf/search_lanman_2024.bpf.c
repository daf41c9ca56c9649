/* SEARCH, LANMAN 2024, on the kernel's Reno or CUBIC. */
#include "base.h"
#include "search_lanman_2024.h"

#define SEARCH struct search_lanman_2024
#include "search_ack.h"

static inline void count_open(struct connection *c, struct at_each_ack *state) {
    c->search.open_bytes += state->open_bytes;
    state->open_bytes = 0;
}

SEC("struct_ops/init") void BPF_PROG(search_init, struct sock *sk) {
    struct connection *c = create(sk);
    base_init(sk);
    if (!c)
        return;
    search_lanman_2024_begin(&c->search);
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
    uint32_t bytes = note_ack(state, tp);
    if (in_same_bin(state, tp)) {
        state->open_bytes += bytes;
        base_cong_avoid(sk, ack, acked);
        return;
    }
    if (!c)
        c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    if (state->rtt_us)
        search_lanman_2024_rtt(&c->search, (uint64_t)state->rtt_us * 1000);
    count_open(c, state);
    if (in_slow_start(tp)) {
        uint64_t cwnd = cwnd_bytes(&c->tcp, tp);
        if (search_lanman_2024_on_ack(&c->search, now_ns(tp), bytes, &cwnd, 2 * c->tcp.mss)
            == SEARCH_LANMAN_2024_EXITED) {
            set_cwnd(&c->tcp, tp, cwnd);
            tp->snd_ssthresh = tp->snd_cwnd;
        }
        state->bin_end_ns = c->search.bin_end_ns;
    }
    base_cong_avoid(sk, ack, acked);
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/set_state") void BPF_PROG(search_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    base_set_state(sk, state);
    if (c && state == CA_LOSS) {
        count_open(c, at_each_ack(sk, c));
        search_lanman_2024_restart(&c->search);
        at_each_ack(sk, c)->bin_end_ns = c->search.bin_end_ns;
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
