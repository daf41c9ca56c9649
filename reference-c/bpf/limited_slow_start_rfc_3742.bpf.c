/* Limited Slow-Start, RFC 3742, on the kernel's Reno. */
#include "base.h"
#include "limited_slow_start_rfc_3742.h"

struct connection {
    struct tcp tcp;
    struct limited_slow_start_rfc_3742 limited;
};
PRIVATE_CONNECTIONS

SEC("struct_ops/init") void BPF_PROG(limited_init, struct sock *sk) {
    struct connection *c = create(sk);
    if (c)
        limited_slow_start_rfc_3742_begin(&c->limited, c->tcp.mss);
}

SEC("struct_ops/cong_avoid") void BPF_PROG(limited_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t before = tp->snd_cwnd, limited = app_limited(tp);
    uint64_t cwnd = cwnd_bytes(&c->tcp, tp);
    if (limited_slow_start_rfc_3742_in_slow_start(cwnd, ssthresh_bytes(&c->tcp, tp))) {
        limited_slow_start_rfc_3742_on_ack(&c->limited, limited, &cwnd);
        set_cwnd(&c->tcp, tp, cwnd);
    } else {
        base_cong_avoid(sk, ack, acked);
    }
    record(&c->tcp, tp, before, acked, limited);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(limited_ssthresh, struct sock *sk) { return base_ssthresh(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)limited_init,
    .cong_avoid = (void *)limited_cong_avoid,
    .ssthresh = (void *)limited_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
