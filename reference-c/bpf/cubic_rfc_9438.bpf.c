/* CUBIC, RFC 9438, a whole controller. The kernel calls it outside of recovery only; in recovery it reduces the
 * window step by step. */
#include "tcp.h"
#include "cubic_rfc_9438.h"

/* In the private area: state that an ACK uses, as in the header and in `struct tcp`. The state that a spurious loss
 * restores is in the storage. K is below 2^52, and the kernel's mss_clamp has 16 bits. mss: 0 before the begin. */
struct at_each_ack {
    uint64_t cwnd, ssthresh, recovery_start_ns, cwnd_prior, w_max, t_epoch, w_est;
    uint64_t k : 56, in_recovery : 8;
    uint64_t limited_since, idle_since, left_out;
    uint32_t w_est_fraction, cwnd_fraction, packets;
    uint16_t mss, rest;
};
_Static_assert(sizeof(struct at_each_ack) <= PRIVATE_BYTES, "the private area is too small");
static inline struct at_each_ack *at_each_ack(struct sock *sk) { return private_area(sk); }

struct connection {
    struct tcp tcp;
    struct cubic_rfc_9438_variables undo;
    int has_undo;
};
CONNECTIONS

/* Load the state without undo. */
static inline void load(struct cubic_rfc_9438 *s, const struct at_each_ack *a) {
    s->now.cwnd = a->cwnd;
    s->now.ssthresh = a->ssthresh;
    s->now.congestion_recovery_start_time = a->recovery_start_ns;
    s->now.cwnd_prior = a->cwnd_prior;
    s->now.w_max = a->w_max;
    s->now.k = a->k;
    s->now.t_epoch = a->t_epoch;
    s->now.w_est = a->w_est;
    s->now.w_est_fraction = a->w_est_fraction;
    s->now.cwnd_fraction = a->cwnd_fraction;
    s->now.in_recovery = a->in_recovery;
    s->mss = a->mss;
    s->limited_since = a->limited_since;
    s->idle_since = a->idle_since;
    s->left_out = a->left_out;
}

static inline void store(struct at_each_ack *a, const struct cubic_rfc_9438 *s) {
    a->cwnd = s->now.cwnd;
    a->ssthresh = s->now.ssthresh;
    a->recovery_start_ns = s->now.congestion_recovery_start_time;
    a->cwnd_prior = s->now.cwnd_prior;
    a->w_max = s->now.w_max;
    a->k = s->now.k;
    a->t_epoch = s->now.t_epoch;
    a->w_est = s->now.w_est;
    a->w_est_fraction = s->now.w_est_fraction;
    a->cwnd_fraction = s->now.cwnd_fraction;
    a->in_recovery = s->now.in_recovery != 0;
    a->limited_since = s->limited_since;
    a->idle_since = s->idle_since;
    a->left_out = s->left_out;
}

/* Load the whole state. */
static inline void load_all(struct cubic_rfc_9438 *s, const struct at_each_ack *a, const struct connection *c) {
    load(s, a);
    s->undo = c->undo;
    s->has_undo = c->has_undo;
}

static inline void store_all(struct at_each_ack *a, struct connection *c, const struct cubic_rfc_9438 *s) {
    store(a, s);
    c->undo = s->undo;
    c->has_undo = s->has_undo;
}

SEC("struct_ops/init") void BPF_PROG(cubic_init, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = create(sk);
    struct at_each_ack *a = at_each_ack(sk);
    if (!c)
        return;
    struct cubic_rfc_9438 s;
    cubic_rfc_9438_begin(&s, c->tcp.mss, cwnd_bytes(&c->tcp, tp));
    store_all(a, c, &s);
    a->packets = c->tcp.packets;
    a->mss = c->tcp.mss;
    a->rest = 0;
}

struct event {
    uint64_t now, flight, srtt_ns;
    uint32_t acked;
};

static inline void on_ack(struct cubic_rfc_9438 *s, const struct event *e, int limited) {
    struct cubic_rfc_9438_run run = {e->acked, s->mss, e->now};
    struct cubic_rfc_9438_ack frame = {e->now, e->flight, e->srtt_ns, &run, 1, limited};
    cubic_rfc_9438_on_ack(s, &frame);
}

/* Process an ACK that finds the sender application-limited, or in its first slow start: few members change. */
static inline void without_threshold(struct at_each_ack *a, const struct event *e, int limited) {
    struct cubic_rfc_9438 s;
    load(&s, a);
    on_ack(&s, e, limited);
    store(a, &s);
}

/* A global function: the verifier follows the loops of congestion avoidance once, for any state. */
__attribute__((noinline)) int avoid(struct cubic_rfc_9438 *s, const struct event *e) {
    if (s && e)
        on_ack(s, e, 0);
    return 0;
}

static inline void with_threshold(struct at_each_ack *a, const struct event *e) {
    struct cubic_rfc_9438 s;
    load(&s, a);
    avoid(&s, e);
    store(a, &s);
}

SEC("struct_ops/cong_avoid") void BPF_PROG(cubic_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *a = at_each_ack(sk);
    if (!a->mss)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    struct tcp t = {.mss = a->mss, .packets = a->packets, .rest = a->rest};
    /* Data that was sent ends idle time; so does the ACK, at the same time. */
    struct event e = {now_ns(tp), in_flight(&t, tp), (uint64_t)(tp->srtt_us >> 3) * 1000, acked};
    if (before != t.packets) { /* the kernel has ended a recovery or restarted after idle time */
        a->cwnd = cwnd_bytes(&t, tp);
        a->cwnd_fraction = 0;
    }
    if (limited)
        without_threshold(a, &e, 1);
    else if (a->ssthresh == NONE)
        without_threshold(a, &e, 0);
    else
        with_threshold(a, &e);
    set_cwnd(&t, tp, a->cwnd);
    a->packets = t.packets;
    a->rest = t.rest;
    struct connection *c = TRACED ? of(sk) : 0;
    if (c) {
        c->tcp.packets = t.packets;
        c->tcp.rest = t.rest;
        record(&c->tcp, tp, before, acked, limited);
    }
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(cubic_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *a = at_each_ack(sk);
    struct connection *c = of(sk);
    if (!c || !a->mss)
        return tcp_reno_ssthresh(sk);
    struct tcp t = {.mss = a->mss, .packets = a->packets, .rest = a->rest};
    struct cubic_rfc_9438 s;
    load_all(&s, a, c);
    s.now.cwnd = cwnd_bytes(&t, tp);
    cubic_rfc_9438_on_lost(&s, NONE, now_ns(tp) - 1);
    store_all(a, c, &s);
    return s.now.ssthresh / t.mss;
}

SEC("struct_ops/set_state") void BPF_PROG(cubic_set_state, struct sock *sk, uint8_t state) {
    struct at_each_ack *a = at_each_ack(sk);
    struct connection *c = of(sk);
    struct cubic_rfc_9438 s;
    if (!c || !a->mss || state != CA_LOSS)
        return;
    load_all(&s, a, c);
    cubic_rfc_9438_on_persistent_congestion(&s);
    store_all(a, c, &s);
}

/* The kernel has found that nothing was lost. */
SEC("struct_ops/undo_cwnd") uint32_t BPF_PROG(cubic_undo_cwnd, struct sock *sk) {
    struct at_each_ack *a = at_each_ack(sk);
    struct connection *c = of(sk);
    struct cubic_rfc_9438 s;
    if (c && a->mss) {
        load_all(&s, a, c);
        cubic_rfc_9438_on_spurious_loss(&s);
        store_all(a, c, &s);
    }
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
