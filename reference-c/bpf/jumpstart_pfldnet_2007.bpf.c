/*
 * Jump Start, PFLDnet 2007, on the kernel's Reno. `min_tso_segs` is called before each attempt to send: there the
 * data that waits is known, and window and pacing rate take effect at once. The kernel reports only
 * the number of losses: they count from the first unacknowledged segment on.
 */
#include "base.h"
#include "jumpstart_pfldnet_2007.h"

/* The kernel tries to send while an application still fills the queue: data that comes so soon belongs to the jump. */
#define WRITE_NS UINT64_C(20000000)

struct connection {
    struct tcp tcp;
    struct jumpstart_pfldnet_2007 jump;
    uint64_t sent, recovery_start_ns, begun_ns;
    uint32_t retransmitted;
    uint32_t in_recovery;
};
CONNECTIONS

/* In the private area. over: after the start an ACK needs Reno only, and the storage serves recovery. */
struct at_each_ack {
    uint32_t over;
};
static inline struct at_each_ack *at_each_ack(struct sock *sk) { return private_area(sk); }

SEC("struct_ops/init") void BPF_PROG(jumpstart_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (!c)
        return;
    jumpstart_pfldnet_2007_begin(&c->jump, c->tcp.mss);
    c->sent = c->recovery_start_ns = c->begun_ns = 0;
    c->retransmitted = tcp_sk(sk)->total_retrans;
    c->in_recovery = 0;
}

static inline struct jumpstart_pfldnet_2007_window window(const struct connection *c, const struct tcp_sock *tp) {
    struct jumpstart_pfldnet_2007_window w = {cwnd_bytes(&c->tcp, tp), ssthresh_bytes(&c->tcp, tp),
                                              c->recovery_start_ns,
                                              c->in_recovery};
    return w;
}

/* Count the segments that have left since the last call. */
static inline void sent(struct connection *c, struct tcp_sock *tp) {
    uint64_t bytes = sent_bytes(&c->tcp, tp), was = c->jump.jumping;
    if (bytes == c->sent)
        return;
    uint64_t before = segments(&c->tcp, c->sent), after = segments(&c->tcp, bytes);
    c->sent = bytes;
    struct jumpstart_pfldnet_2007_sent s = {after - before, after - 1, 0, 0};
    jumpstart_pfldnet_2007_on_sent(&c->jump, &s);
    if (was && !c->jump.jumping)
        pace(&c->tcp, tp, NONE);
}

SEC("struct_ops/min_tso_segs") uint32_t BPF_PROG(jumpstart_min_tso_segs, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || (c->jump.begun && !c->jump.jumping))
        return 2;
    sent(c, tp);
    uint32_t waiting = tp->write_seq - tp->snd_nxt, out = tp->snd_nxt - tp->snd_una;
    uint64_t allowed = tp->snd_wnd > out ? tp->snd_wnd - out : 0, rtt_ns = (uint64_t)(tp->srtt_us >> 3) * 1000;
    struct jumpstart_pfldnet_2007_window w = window(c, tp);
    struct jumpstart_pfldnet_2007_backlog backlog = {now_ns(tp), waiting, allowed, rtt_ns ? rtt_ns : NONE};
    uint64_t before = 0;
    if (c->jump.jumping && now_ns(tp) - c->begun_ns < WRITE_NS &&
        segments(&c->tcp, c->sent + waiting) > c->jump.planned_packets && acked_bytes(&c->tcp, tp) == 0) {
        before = c->sent;
        backlog.queued_bytes += before;
        backlog.receive_window_bytes += before;
        jumpstart_pfldnet_2007_begin(&c->jump, c->tcp.mss);
    }
    note(&c->tcp, tp, TRACE_BACKLOG, backlog.queued_bytes, backlog.receive_window_bytes, rtt_ns, before);
    if (jumpstart_pfldnet_2007_on_backlog(&c->jump, &backlog, &w) == JUMPSTART_PFLDNET_2007_JUMP_BEGUN) {
        struct jumpstart_pfldnet_2007_sent s = {segments(&c->tcp, before), segments(&c->tcp, before) - 1, 0, 0};
        if (before)
            jumpstart_pfldnet_2007_on_sent(&c->jump, &s);
        else
            c->begun_ns = now_ns(tp);
        set_cwnd(&c->tcp, tp, w.cwnd);
        pace(&c->tcp, tp, w.cwnd * 1000000 / (rtt_ns / 1000 + 1)); /* at most 2^29 bytes */
    }
    return 2;
}

SEC("struct_ops/cong_avoid") void BPF_PROG(jumpstart_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (at_each_ack(sk)->over) {
        base_cong_avoid(sk, ack, acked);
        return;
    }
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    sent(c, tp);
    if (c->jump.jumping) {
        struct jumpstart_pfldnet_2007_window w = window(c, tp);
        uint64_t next = segments(&c->tcp, acked_bytes(&c->tcp, tp));
        struct jumpstart_pfldnet_2007_ack frame = {next - 1, now_ns(tp), next};
        jumpstart_pfldnet_2007_on_ack(&c->jump, &frame, &w);
        if (!c->jump.jumping)
            pace(&c->tcp, tp, NONE);
    }
    base_cong_avoid(sk, ack, acked);
    record(&c->tcp, tp, before, acked, limited);
    if (c->jump.begun && !c->jump.jumping) {
        change_to_later(sk, &c->tcp);
        at_each_ack(sk)->over = !TRACED && c->tcp.change == CHANGED;
    }
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(jumpstart_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return base_ssthresh(sk);
    sent(c, tp);
    uint64_t first = acked_bytes(&c->tcp, tp) / c->tcp.mss;
    struct jumpstart_pfldnet_2007_range lost = {first, first + (tp->lost_out ? tp->lost_out : 1) - 1};
    struct jumpstart_pfldnet_2007_window w = window(c, tp);
    jumpstart_pfldnet_2007_on_lost(&c->jump, &lost, 1, NONE, now_ns(tp), &w);
    c->recovery_start_ns = w.recovery_start_time;
    c->in_recovery = 1;
    c->retransmitted = tp->total_retrans;
    return w.cwnd / c->tcp.mss;
}

SEC("struct_ops/set_state") void BPF_PROG(jumpstart_set_state, struct sock *sk, uint8_t state) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || (state > CA_DISORDER && state != CA_LOSS) || !c->in_recovery)
        return;
    struct jumpstart_pfldnet_2007_window w = window(c, tp);
    c->in_recovery = 0;
    if (state == CA_LOSS) {
        jumpstart_pfldnet_2007_on_timeout(&c->jump, &w);
        return;
    }
    /* Recovery is over: R is the number of segments of the first flight that were sent again. */
    sent(c, tp);
    uint64_t again = tp->total_retrans - c->retransmitted, flight = c->jump.end - c->jump.first;
    if (again > 0 && flight > 0 && c->jump.lost_of_first_flight)
        c->jump.r += again < flight ? again : flight;
    uint64_t last = segments(&c->tcp, acked_bytes(&c->tcp, tp)) - 1, next = segments(&c->tcp, c->sent);
    struct jumpstart_pfldnet_2007_ack frame = {last, now_ns(tp), next};
    if (jumpstart_pfldnet_2007_on_ack(&c->jump, &frame, &w) == JUMPSTART_PFLDNET_2007_JUMP_ACCOUNTED) {
        set_cwnd(&c->tcp, tp, w.cwnd);
        set_ssthresh(&c->tcp, tp, w.ssthresh);
    }
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)jumpstart_init,
    .min_tso_segs = (void *)jumpstart_min_tso_segs,
    .cong_avoid = (void *)jumpstart_cong_avoid,
    .set_state = (void *)jumpstart_set_state,
    .ssthresh = (void *)jumpstart_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};

SEC(".struct_ops")
struct tcp_congestion_ops LATER = {
    .init = (void *)jumpstart_init,
    .cong_avoid = (void *)jumpstart_cong_avoid,
    .set_state = (void *)jumpstart_set_state,
    .ssthresh = (void *)jumpstart_ssthresh,
    BASE_OPS,
    .name = LATER_TEXT,
};
