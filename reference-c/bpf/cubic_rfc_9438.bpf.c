/* CUBIC, RFC 9438, a whole controller. The kernel calls it outside of recovery only; in recovery it reduces the
 * window step by step. */
#include "tcp.h"
#include "cubic_rfc_9438.h"

struct connection {
    struct tcp tcp;
    struct cubic_rfc_9438 cubic;
};
CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(cubic_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (c)
        cubic_rfc_9438_begin(&c->cubic, c->tcp.mss, cwnd_bytes(&c->tcp, tcp_sk(sk)));
}

SEC("struct_ops/cong_avoid") void BPF_PROG(cubic_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    newly_acked(&c->tcp, tp);
    if (newly_sent(&c->tcp, tp))
        cubic_rfc_9438_on_sent(&c->cubic, now_ns(tp));
    if (tp->snd_cwnd != c->tcp.packets) { /* the kernel has ended a recovery or restarted after idle time */
        c->cubic.now.cwnd = cwnd_bytes(&c->tcp, tp);
        c->cubic.now.cwnd_fraction = 0;
    }
    struct cubic_rfc_9438_run run = {acked, c->tcp.mss, now_ns(tp)};
    struct cubic_rfc_9438_ack frame = {now_ns(tp), in_flight(&c->tcp, tp), (uint64_t)(tp->srtt_us >> 3) * 1000, &run,
                                       1, limited};
    cubic_rfc_9438_on_ack(&c->cubic, &frame);
    set_cwnd(&c->tcp, tp, c->cubic.now.cwnd);
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(cubic_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return tcp_reno_ssthresh(sk);
    c->cubic.now.cwnd = cwnd_bytes(&c->tcp, tp);
    cubic_rfc_9438_on_lost(&c->cubic, NONE, now_ns(tp) - 1);
    return c->cubic.now.ssthresh / c->tcp.mss;
}

SEC("struct_ops/set_state") void BPF_PROG(cubic_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    if (c && state == CA_LOSS)
        cubic_rfc_9438_on_persistent_congestion(&c->cubic);
}

/* The kernel has found that nothing was lost. */
SEC("struct_ops/undo_cwnd") uint32_t BPF_PROG(cubic_undo_cwnd, struct sock *sk) {
    struct connection *c = of(sk);
    if (c)
        cubic_rfc_9438_on_spurious_loss(&c->cubic);
    return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)cubic_init,
    .cong_avoid = (void *)cubic_cong_avoid,
    .set_state = (void *)cubic_set_state,
    .ssthresh = (void *)cubic_ssthresh,
    .undo_cwnd = (void *)cubic_undo_cwnd,
    .flags = FLAGS,
    .name = NAME_TEXT,
};
