/* The kernel's BBR, called as a BPF program: for the comparison of cost. */
#include "tcp.h"

extern void bbr_init(struct sock *sk) __ksym;
extern void bbr_main(struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample) __ksym;
extern uint32_t bbr_undo_cwnd(struct sock *sk) __ksym;
extern uint32_t bbr_ssthresh(struct sock *sk) __ksym;
extern void bbr_set_state(struct sock *sk, uint8_t state) __ksym;

SEC("struct_ops/init") void BPF_PROG(kernel_bbr_init, struct sock *sk) { bbr_init(sk); }

SEC("struct_ops/cong_control")
void BPF_PROG(kernel_bbr_cong_control, struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample) {
    bbr_main(sk, ack, flag, sample);
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(kernel_bbr_ssthresh, struct sock *sk) { return bbr_ssthresh(sk); }

SEC("struct_ops/undo_cwnd") uint32_t BPF_PROG(kernel_bbr_undo_cwnd, struct sock *sk) { return bbr_undo_cwnd(sk); }

SEC("struct_ops/set_state") void BPF_PROG(kernel_bbr_set_state, struct sock *sk, uint8_t state) {
    bbr_set_state(sk, state);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)kernel_bbr_init,
    .cong_control = (void *)kernel_bbr_cong_control,
    .set_state = (void *)kernel_bbr_set_state,
    .ssthresh = (void *)kernel_bbr_ssthresh,
    .undo_cwnd = (void *)kernel_bbr_undo_cwnd,
    .name = NAME_TEXT,
};
