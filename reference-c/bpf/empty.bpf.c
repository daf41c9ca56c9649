/* The kernel's Reno with an empty program at each ACK: the least cost that the kernel's statistics count. */
#include "base.h"

SEC("struct_ops/pkts_acked") void BPF_PROG(empty_pkts_acked, struct sock *sk, const struct ack_sample *sample) {}

SEC("struct_ops/cong_avoid") void BPF_PROG(empty_cong_avoid, struct sock *sk, uint32_t ack, uint32_t acked) {
    base_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(empty_ssthresh, struct sock *sk) { return base_ssthresh(sk); }

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .pkts_acked = (void *)empty_pkts_acked,
    .cong_avoid = (void *)empty_cong_avoid,
    .ssthresh = (void *)empty_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};
