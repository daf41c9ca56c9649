/* NewReno, RFC 9002, a whole controller. The kernel calls it outside of recovery only; in recovery it reduces the
 * window step by step. */
#include "base.h"
#include "newreno_rfc_9002.h"

struct connection {
    struct tcp tcp;
    struct newreno_rfc_9002 newreno;
};
PRIVATE_CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(newreno_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (c)
        newreno_rfc_9002_begin(&c->newreno, c->tcp.mss, cwnd_bytes(&c->tcp, tcp_sk(sk)));
}

struct run {
    struct newreno_rfc_9002 *newreno;
    uint64_t sent_time;
    int app_limited;
};

/* One packet at a time: the verifier follows the header's own loop over packets in every length. */
static inline void on_packet(const struct run *run) {
    struct newreno_rfc_9002_run one = {1, run->newreno->max_datagram_size, run->sent_time};
    newreno_rfc_9002_on_ack(run->newreno, &one, 1, run->app_limited);
}

static long one_packet(uint64_t index, void *context) {
    on_packet(context);
    return 0;
}

SEC("struct_ops/cong_avoid") void BPF_PROG(newreno_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    c->newreno.congestion_window = cwnd_bytes(&c->tcp, tp);
    c->newreno.ssthresh = ssthresh_bytes(&c->tcp, tp);
    if (c->newreno.ssthresh == NONE && acked) { /* slow start takes all packets at once */
        struct newreno_rfc_9002_run all = {acked, c->newreno.max_datagram_size, now_ns(tp)};
        newreno_rfc_9002_on_ack(&c->newreno, &all, 1, limited);
    } else {
        struct run run = {&c->newreno, now_ns(tp), limited};
        if (acked > 0)
            on_packet(&run);
        if (acked > 1)
            on_packet(&run);
        if (acked > 2) /* most ACKs are for two packets, and need no loop */
            bpf_loop(acked - 2, one_packet, &run, 0);
    }
    set_cwnd(&c->tcp, tp, c->newreno.congestion_window);
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(newreno_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return tcp_reno_ssthresh(sk);
    c->newreno.congestion_window = cwnd_bytes(&c->tcp, tp);
    newreno_rfc_9002_on_lost(&c->newreno, NONE, now_ns(tp) - 1);
    return c->newreno.congestion_window / c->tcp.mss;
}

SEC("struct_ops/set_state") void BPF_PROG(newreno_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    if (c && state == CA_LOSS)
        newreno_rfc_9002_on_persistent_congestion(&c->newreno);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)newreno_init,
    .cong_avoid = (void *)newreno_cong_avoid,
    .set_state = (void *)newreno_set_state,
    .ssthresh = (void *)newreno_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
