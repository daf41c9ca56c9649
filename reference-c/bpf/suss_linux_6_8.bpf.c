/* SUSS, the patch for Linux 6.8, on the kernel's Reno in place of its CUBIC. The patch opens the window after each
 * packet sent. Here `min_tso_segs` opens it before each attempt to send, from the begin of the pacing on: the kernel
 * cannot hold packets back until then. */
#include "base.h"
#include "suss_linux_6_8.h"

struct connection {
    struct tcp tcp;
    struct suss_linux_6_8 suss;
    uint64_t announced; /* bytes that SUSS has counted as sent */
    uint32_t pacing;
};
CONNECTIONS

/* In the private area. over: after SUSS, once HyStart has ended slow start, an ACK needs Reno only until a timeout. */
struct at_each_ack {
    uint32_t snd_una, over;
};
static inline struct at_each_ack *at_each_ack(struct sock *sk) { return private_area(sk); }

SEC("struct_ops/init") void BPF_PROG(suss_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (!c)
        return;
    suss_linux_6_8_begin(&c->suss, c->tcp.mss);
    c->announced = 0;
    c->pacing = 0;
    at_each_ack(sk)->snd_una = c->tcp.snd_una;
}

static inline struct suss_linux_6_8_window window(const struct connection *c, const struct tcp_sock *tp) {
    struct suss_linux_6_8_window w = {cwnd_bytes(&c->tcp, tp), ssthresh_bytes(&c->tcp, tp), in_slow_start(tp)};
    return w;
}

static inline void set_window(struct connection *c, struct tcp_sock *tp, const struct suss_linux_6_8_window *w,
                              const struct suss_linux_6_8_window *before) {
    if (w->cwnd != before->cwnd)
        set_cwnd(&c->tcp, tp, w->cwnd);
    if (w->ssthresh != before->ssthresh)
        set_ssthresh(&c->tcp, tp, w->ssthresh);
}

/* Pace from the first packet on that SUSS releases; once SUSS ends, no more. */
static inline void set_pacing(struct connection *c, struct tcp_sock *tp) {
    if (suss_linux_6_8_next_release_ns(&c->suss) != SUSS_LINUX_6_8_NONE) {
        pace(&c->tcp, tp, c->suss.rate ? c->suss.rate : NONE);
        c->pacing = 1;
    } else if (c->pacing) {
        pace(&c->tcp, tp, NONE);
        c->pacing = 0;
    }
}

SEC("struct_ops/min_tso_segs") uint32_t BPF_PROG(suss_min_tso_segs, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return 2;
    struct suss_linux_6_8_window before = window(c, tp), w = before;
    uint64_t sent = sent_bytes(&c->tcp, tp), bytes = sent - c->announced;
    if (bytes > 0 && (c->suss.state != SUSS_LINUX_6_8_PACING || now_ns(tp) >= c->suss.pacing_start_ns)) {
        c->announced = sent;
        note(&c->tcp, tp, TRACE_SENT, bytes);
        suss_linux_6_8_on_sent(&c->suss, now_ns(tp), segments(&c->tcp, sent) - 1, bytes, in_flight(&c->tcp, tp), &w);
        set_window(c, tp, &w, &before);
    }
    set_pacing(c, tp);
    return 2;
}

SEC("struct_ops/cong_avoid") void BPF_PROG(suss_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *state = at_each_ack(sk);
    uint32_t una = tp->snd_una, bytes = una - state->snd_una;
    state->snd_una = una;
    if (state->over) {
        base_cong_avoid(sk, ack, acked);
        return;
    }
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t packets = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    uint64_t seq = segments(&c->tcp, acked_bytes(&c->tcp, tp)) - 1, next = segments(&c->tcp, sent_bytes(&c->tcp, tp));
    struct suss_linux_6_8_window before = window(c, tp), w = before;
    c->suss.in_flight = in_flight(&c->tcp, tp);
    if (c->tcp.rtt_ns != NONE && bytes)
        suss_linux_6_8_acked(&c->suss, now_ns(tp), c->tcp.rtt_ns, seq, next, &w);
    if (suss_linux_6_8_is_active(&c->suss) && c->suss.cap == SUSS_LINUX_6_8_NONE && bytes)
        suss_linux_6_8_measurements(&c->suss, now_ns(tp), seq, next, acked, bytes, &w);
    set_window(c, tp, &w, &before);
    base_cong_avoid(sk, ack, acked);
    before = w = window(c, tp);
    suss_linux_6_8_keep_minimum(&c->suss, &w);
    set_window(c, tp, &w, &before);
    record(&c->tcp, tp, packets, acked, limited);
    if (!suss_linux_6_8_is_active(&c->suss)) { /* it never is again */
        set_pacing(c, tp);
        change_to_later(sk, &c->tcp);
        state->over = !TRACED && c->suss.found && c->tcp.change == CHANGED;
    }
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(suss_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (c) {
        struct suss_linux_6_8_window before = window(c, tp), w = before;
        c->suss.in_flight = in_flight(&c->tcp, tp);
        suss_linux_6_8_init_cwnd_reduction(&c->suss, &w);
        set_window(c, tp, &w, &before);
    }
    return base_ssthresh(sk);
}

SEC("struct_ops/set_state") void BPF_PROG(suss_set_state, struct sock *sk, uint8_t state) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || state != CA_LOSS)
        return;
    at_each_ack(sk)->over = 0;
    c->suss.snd_nxt = segments(&c->tcp, sent_bytes(&c->tcp, tp));
    suss_linux_6_8_enter_loss(&c->suss, now_ns(tp), cwnd_bytes(&c->tcp, tp));
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)suss_init,
    .min_tso_segs = (void *)suss_min_tso_segs,
    .cong_avoid = (void *)suss_cong_avoid,
    .set_state = (void *)suss_set_state,
    .ssthresh = (void *)suss_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};

SEC(".struct_ops")
struct tcp_congestion_ops LATER = {
    .init = (void *)suss_init,
    .cong_avoid = (void *)suss_cong_avoid,
    .set_state = (void *)suss_set_state,
    .ssthresh = (void *)suss_ssthresh,
    BASE_OPS,
    .name = LATER_TEXT,
};
