/*
 * Rapid Start, draft-kazuho-ccwg-rapid-start-02, on the kernel's Reno. In the first recovery the algorithm sets the
 * window at each ACK, so `cong_control` replaces the kernel's proportional rate reduction. The pacing of section 3.1
 * is left out. The number of a packet is the number of its first byte: only the begin of a round needs a division.
 */
#include "base.h"
#include "rapid_start_draft_02.h"

/* first_recovery: the recovery that ends Rapid Start goes on. */
struct connection {
    struct tcp tcp;
    struct rapid_start_draft_02 rapid;
    uint64_t min_rtt_ns;
    uint32_t startup, first_recovery;
};
PRIVATE_CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(rapid_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (!c)
        return;
    rapid_start_draft_02_begin(&c->rapid, c->tcp.mss);
    c->min_rtt_ns = NONE;
    c->startup = 1;
    c->first_recovery = 0;
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(rapid_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || !c->startup)
        return tcp_reno_ssthresh(sk);
    uint64_t cwnd = cwnd_bytes(&c->tcp, tp);
    rapid_start_draft_02_enter_recovery(&c->rapid, &cwnd);
    set_cwnd(&c->tcp, tp, cwnd);
    c->startup = 0;
    c->first_recovery = 1;
    return tp->snd_cwnd;
}

SEC("struct_ops/set_state") void BPF_PROG(rapid_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    if (c && state == CA_LOSS)
        c->startup = c->first_recovery = 0;
    else if (c && state < CA_CWR)
        c->first_recovery = 0;
}

SEC("struct_ops/cong_control")
void BPF_PROG(rapid_cong_control, struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    uint64_t acked = (uint64_t)sample->acked_sacked * c->tcp.mss, cwnd = cwnd_bytes(&c->tcp, tp);
    note_rtt(&c->tcp, sample->rtt_us);
    if (c->tcp.rtt_ns < c->min_rtt_ns)
        c->min_rtt_ns = c->tcp.rtt_ns;
    if (c->startup && acked) {
        uint64_t last = acked_bytes(&c->tcp, tp) - 1;
        uint64_t next = last >= c->rapid.window_end ? next_segment(&c->tcp, tp) : 0;
        struct rapid_start_draft_02_ack frame = {last, next, acked, c->tcp.rtt_ns, c->min_rtt_ns, limited};
        rapid_start_draft_02_on_ack(&c->rapid, &frame, &cwnd);
        set_cwnd(&c->tcp, tp, cwnd);
    } else if (c->first_recovery) {
        if (acked)
            rapid_start_draft_02_on_recovery_ack(&c->rapid, acked, &cwnd);
        if (sample->losses > 0)
            rapid_start_draft_02_on_recovery_lost(&c->rapid, (uint64_t)sample->losses * c->tcp.mss, &cwnd);
        set_cwnd(&c->tcp, tp, cwnd);
        tp->snd_ssthresh = tp->snd_cwnd;
    } else if (ca_state(tp) == CA_CWR || ca_state(tp) == CA_RECOVERY) {
        tp->snd_cwnd = tp->snd_ssthresh;
    } else if (acked) {
        tcp_reno_cong_avoid(sk, ack, sample->acked_sacked);
    }
    update_pacing_rate(tp);
    record(&c->tcp, tp, before, sample->acked_sacked, limited);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)rapid_init,
    .cong_control = (void *)rapid_cong_control,
    .set_state = (void *)rapid_set_state,
    .ssthresh = (void *)rapid_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
