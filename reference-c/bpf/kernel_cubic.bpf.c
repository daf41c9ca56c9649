/* The kernel's CUBIC, called as a BPF program: the reference of the cost comparison. Its HyStart is called with
 * HYSTART only. */
#include "base.h"

SEC("struct_ops/init") void BPF_PROG(cubic_init, struct sock *sk) { base_init(sk); }

SEC("struct_ops/cong_avoid") void BPF_PROG(cubic_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    base_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/set_state") void BPF_PROG(cubic_set_state, struct sock *sk, uint8_t state) {
    base_set_state(sk, state);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(cubic_ssthresh, struct sock *sk) { return base_ssthresh(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)cubic_init,
    .cong_avoid = (void *)cubic_cong_avoid,
    .set_state = (void *)cubic_set_state,
    .ssthresh = (void *)cubic_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
