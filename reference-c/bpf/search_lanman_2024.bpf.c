/* SEARCH, LANMAN 2024, on the kernel's Reno or CUBIC. */
#include "base.h"
#include "search_lanman_2024.h"

struct connection {
    struct tcp tcp;
    struct search_lanman_2024 search;
};
CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(search_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (c)
        search_lanman_2024_begin(&c->search);
    base_init(sk);
}

SEC("struct_ops/cong_avoid") void BPF_PROG(search_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (slow_start_is_over(tp)) {
        base_cong_avoid(sk, ack, acked);
        return;
    }
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    if (c->tcp.rtt_ns != NONE)
        search_lanman_2024_rtt(&c->search, c->tcp.rtt_ns);
    newly_sent(&c->tcp, tp);
    uint64_t bytes = newly_acked(&c->tcp, tp);
    if (in_slow_start(tp)) {
        uint64_t cwnd = cwnd_bytes(&c->tcp, tp);
        if (search_lanman_2024_on_ack(&c->search, now_ns(tp), bytes, &cwnd, 2 * c->tcp.mss)
            == SEARCH_LANMAN_2024_EXITED) {
            set_cwnd(&c->tcp, tp, cwnd);
            tp->snd_ssthresh = tp->snd_cwnd;
        }
    }
    base_cong_avoid(sk, ack, acked);
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/set_state") void BPF_PROG(search_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    base_set_state(sk, state);
    if (c && state == CA_LOSS)
        search_lanman_2024_restart(&c->search);
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
