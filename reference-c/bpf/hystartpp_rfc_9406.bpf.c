/* HyStart++, RFC 9406, on the kernel's Reno or CUBIC. TCP does not pace, so bursts are unlimited. The number of a
 * packet is the number of its first byte: only the begin of a round needs a division. */
#include "base.h"
#include "hystartpp_rfc_9406.h"

struct connection {
    struct tcp tcp;
    struct hystartpp_rfc_9406 hystartpp;
};
SMALL_CONNECTIONS

/* Behind the state of CUBIC: an ACK after the first slow start then needs no storage. begun: there is storage. */
struct at_each_ack {
    uint32_t snd_una, begun;
};
static inline struct at_each_ack *behind_cubic(struct sock *sk) {
    return ON_RENO ? 0 : own_area(sk, sizeof(struct at_each_ack));
}

SEC("struct_ops/init") void BPF_PROG(hystartpp_init, struct sock *sk) {
    struct connection *c = create(sk);
    struct at_each_ack *state = behind_cubic(sk);
    base_init(sk);
    if (!c)
        return;
    hystartpp_rfc_9406_begin(&c->hystartpp);
    if (state) {
        state->snd_una = c->tcp.snd_una;
        state->begun = 1;
    }
}

SEC("struct_ops/cong_avoid") void BPF_PROG(hystartpp_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *state = behind_cubic(sk);
    struct connection *c = state ? 0 : of(sk);
    if (state ? !state->begun : !c)
        return;
    uint32_t *snd_una = state ? &state->snd_una : &c->tcp.snd_una, bytes = tp->snd_una - *snd_una;
    *snd_una = tp->snd_una;
    if (!TRACED && tp->snd_ssthresh < INFINITE_SSTHRESH) { /* first slow start is over */
        base_cong_avoid(sk, ack, acked);
        return;
    }
    if (!c)
        c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    note_latest_rtt(&c->tcp, tp);
    uint64_t cwnd = cwnd_bytes(&c->tcp, tp), ssthresh = ssthresh_bytes(&c->tcp, tp);
    if (ssthresh == NONE && bytes) {
        uint64_t last = acked_bytes(&c->tcp, tp) - 1;
        uint64_t next = last >= c->hystartpp.window_end ? next_segment(&c->tcp, tp) : 0;
        struct hystartpp_rfc_9406_ack frame = {last, next, bytes, c->tcp.rtt_ns, limited};
        int exited = hystartpp_rfc_9406_on_ack(&c->hystartpp, &frame, &cwnd, &ssthresh) == HYSTARTPP_RFC_9406_EXITED;
        set_cwnd(&c->tcp, tp, cwnd);
        if (exited)
            tp->snd_ssthresh = tp->snd_cwnd;
    } else if (ssthresh != NONE) {
        base_cong_avoid(sk, ack, acked);
    }
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(hystartpp_ssthresh, struct sock *sk) {
    struct connection *c = of(sk);
    if (c)
        hystartpp_rfc_9406_on_congestion(&c->hystartpp);
    return base_ssthresh(sk);
}

SEC("struct_ops/set_state") void BPF_PROG(hystartpp_set_state, struct sock *sk, uint8_t state) {
    base_set_state(sk, state);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)hystartpp_init,
    .cong_avoid = (void *)hystartpp_cong_avoid,
    .set_state = (void *)hystartpp_set_state,
    .ssthresh = (void *)hystartpp_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
