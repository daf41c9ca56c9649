/*
 * BBR, draft-ietf-ccwg-bbr-06: Startup and Drain, a whole controller. The kernel's sample lacks the bytes lost since the
 * packet was sent: losses of this ACK and the flight before it are used instead. The kernel paces at
 * the rate that the algorithm sets.
 */
#include "tcp.h"
#include "bbr_draft_06.h"

struct connection {
    struct tcp tcp;
    uint64_t min_rtt_ns;
    struct bbr_draft_06 bbr;
};
CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(bbr_init, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = create(sk);
    if (!c)
        return;
    bbr_draft_06_begin(&c->bbr, c->tcp.mss, cwnd_bytes(&c->tcp, tp));
    c->min_rtt_ns = NONE;
    pace(&c->tcp, tp, c->bbr.pacing_rate);
}

/* Out of line: the common ACK then fetches fewer cache lines of code. */
static __attribute__((noinline)) void bbr_lost(struct connection *c, struct tcp_sock *tp, uint64_t first, int count) {
    uint64_t lost = segments(&c->tcp, first);
    bbr_draft_06_on_lost(&c->bbr, now_ns(tp), in_flight(&c->tcp, tp), NONE);
    bbr_draft_06_on_lost_range(&c->bbr, lost, lost + count - 1);
}

SEC("struct_ops/cong_control")
void BPF_PROG(bbr_cong_control, struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    uint64_t acked = (uint64_t)sample->acked_sacked * c->tcp.mss;
    uint32_t in_order = newly_acked(&c->tcp, tp);
    note_rtt(&c->tcp, sample->rtt_us);
    if (c->tcp.rtt_ns < c->min_rtt_ns)
        c->min_rtt_ns = c->tcp.rtt_ns;
    c->bbr.app_limited = sample->is_app_limited ? NONE : 0;
    if (sample->losses > 0)
        bbr_lost(c, tp, acked_bytes(&c->tcp, tp) - in_order, sample->losses);
    if (acked) {
        uint64_t srtt_ns = (uint64_t)(tp->srtt_us >> 3) * 1000, mss = c->tcp.mss;
        struct bbr_draft_06_ack rs = {now_ns(tp), acked, in_flight(&c->tcp, tp), c->tcp.rtt_ns, c->min_rtt_ns, srtt_ns,
                                      now_ns(tp), 0, 0, NONE, sample->prior_in_flight * mss, 0, sample->is_app_limited};
        if (sample->delivered > 0 && sample->interval_us > 0) {
            rs.delivered = sample->delivered * mss;
            rs.interval_ns = (uint64_t)sample->interval_us * 1000;
            rs.prior_delivered = sample->prior_delivered * mss;
        }
        if (sample->losses > 0)
            rs.lost = sample->losses * mss;
        note(&c->tcp, tp, TRACE_RATE, rs.delivered, rs.interval_ns, rs.prior_delivered, rs.tx_in_flight, rs.lost,
             rs.is_app_limited);
        bbr_draft_06_on_ack(&c->bbr, &rs);
    }
    set_cwnd(&c->tcp, tp, c->bbr.cwnd);
    pace(&c->tcp, tp, c->bbr.pacing_rate);
    record(&c->tcp, tp, before, sample->acked_sacked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(bbr_ssthresh, struct sock *sk) { return tcp_sk(sk)->snd_ssthresh; }

SEC("struct_ops/undo_cwnd") uint32_t BPF_PROG(bbr_undo_cwnd, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (c)
        bbr_draft_06_handle_spurious_loss_detection(&c->bbr);
    return c ? c->bbr.cwnd / c->tcp.mss : tp->snd_cwnd;
}

SEC("struct_ops/set_state") void BPF_PROG(bbr_set_state, struct sock *sk, uint8_t state) {
    struct connection *c = of(sk);
    if (c && state == CA_LOSS)
        bbr_draft_06_on_enter_rto(&c->bbr, now_ns(tcp_sk(sk)));
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)bbr_init,
    .cong_control = (void *)bbr_cong_control,
    .set_state = (void *)bbr_set_state,
    .ssthresh = (void *)bbr_ssthresh,
    .undo_cwnd = (void *)bbr_undo_cwnd,
    .flags = FLAGS,
    .name = NAME_TEXT,
};
