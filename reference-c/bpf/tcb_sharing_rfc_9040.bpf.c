/* TCB sharing, RFC 9040, on the kernel's Reno: a connection begins with the window and threshold of an earlier one
 * to the same host. */
#include "base.h"
#include "saved.h"
#include "tcb_sharing_rfc_9040.h"

/* save_at: the window is saved again once this number of bytes is acknowledged. */
struct connection {
    struct tcp tcp;
    struct tcb_sharing_rfc_9040 tcb;
    uint64_t save_at, min_rtt_ns;
};
PRIVATE_CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(tcb_init, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = create(sk);
    struct saved s = {0, 0, 0};
    if (!c)
        return;
    tcb_sharing_rfc_9040_begin(&c->tcb, c->tcp.mss);
    c->save_at = 0;
    c->min_rtt_ns = NONE;
    if (!take(sk, &s))
        return;
    uint64_t cwnd = cwnd_bytes(&c->tcp, tp), ssthresh = NONE;
    struct tcb_sharing_rfc_9040_cached cached = {s.cwnd_bytes, s.rtt_ns, s.expires_ns, NONE, 1, 1, 1, 0};
    if (tcb_sharing_rfc_9040_on_saved_path(&c->tcb, &cached, bpf_ktime_get_ns(), &cwnd, &ssthresh)
        == TCB_SHARING_RFC_9040_TCB_SHARED) {
        set_cwnd(&c->tcp, tp, cwnd);
        set_ssthresh(&c->tcp, tp, ssthresh);
        note(&c->tcp, tp, TRACE_SAVED, s.cwnd_bytes, s.rtt_ns, s.expires_ns);
    }
}

SEC("struct_ops/cong_avoid") void BPF_PROG(tcb_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    if (c->tcp.rtt_ns < c->min_rtt_ns)
        c->min_rtt_ns = c->tcp.rtt_ns;
    tcb_sharing_rfc_9040_on_sent(&c->tcb);
    base_cong_avoid(sk, ack, acked);
    if (acked_bytes(&c->tcp, tp) >= c->save_at && !limited && c->min_rtt_ns != NONE) {
        save(sk, cwnd_bytes(&c->tcp, tp), c->min_rtt_ns, now_ns(tp));
        c->save_at = sent_bytes(&c->tcp, tp);
    }
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(tcb_ssthresh, struct sock *sk) { return base_ssthresh(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)tcb_init,
    .cong_avoid = (void *)tcb_cong_avoid,
    .ssthresh = (void *)tcb_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
