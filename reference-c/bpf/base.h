/* Controller below a startup algorithm: the kernel's Reno, or its CUBIC with ON_CUBIC. */
#ifndef FIRSTFLIGHT_BPF_BASE_H
#define FIRSTFLIGHT_BPF_BASE_H

#include "tcp.h"

#ifdef ON_CUBIC
enum { ON_RENO = 0 };
#define SMALL_CONNECTIONS CONNECTIONS

/* State of the kernel's CUBIC, at the begin of the private area. Its size is the running kernel's. */
struct bictcp {
    uint32_t cnt;
} __attribute__((preserve_access_index));

/* Return the part of the private area that the controller below leaves, or 0 if it is too small. */
static inline void *own_area(struct sock *sk, uint32_t size) {
    uint32_t used = (bpf_core_type_size(struct bictcp) + 7) & ~7u;
    return used && used + size <= PRIVATE_BYTES ? (char *)private_area(sk) + used : 0;
}

extern void cubictcp_init(struct sock *sk) __ksym;
extern uint32_t cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, uint32_t ack, uint32_t acked) __ksym;
extern void cubictcp_state(struct sock *sk, uint8_t state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;

static inline void base_init(struct sock *sk) { cubictcp_init(sk); }
static inline uint32_t base_ssthresh(struct sock *sk) { return cubictcp_recalc_ssthresh(sk); }
static inline void base_set_state(struct sock *sk, uint8_t state) { cubictcp_state(sk, state); }

#ifdef HYSTART
static inline void base_cong_avoid(struct sock *sk, uint32_t ack, uint32_t acked) {
    cubictcp_cong_avoid(sk, ack, acked);
}
SEC("struct_ops/pkts_acked") void BPF_PROG(base_pkts_acked, struct sock *sk, const struct ack_sample *sample) {
    cubictcp_acked(sk, sample);
}
#define BASE_PKTS_ACKED .pkts_acked = (void *)base_pkts_acked,
#else
/* `cubictcp_acked` notes the least RTT, and in slow start runs HyStart. It is called here, after slow start: one program
 * less for each ACK. */
static inline void base_cong_avoid(struct sock *sk, uint32_t ack, uint32_t acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (!in_slow_start(tp)) {
        struct sample { /* as the kernel's struct ack_sample */
            uint32_t pkts_acked;
            int32_t rtt_us;
            uint32_t in_flight;
        } sample = {acked, tp->rack.rtt_us ? (int32_t)tp->rack.rtt_us : -1, 0};
        cubictcp_acked(sk, (struct ack_sample *)&sample);
    }
    cubictcp_cong_avoid(sk, ack, acked);
}
#define BASE_PKTS_ACKED
#endif

SEC("struct_ops/cwnd_event") void BPF_PROG(base_cwnd_event, struct sock *sk, enum tcp_ca_event event) {
    cubictcp_cwnd_event(sk, event);
}
#define BASE_OPS                                                                                                       \
    BASE_PKTS_ACKED .cwnd_event = (void *)base_cwnd_event,                                                             \
    .undo_cwnd = (void *)base_undo_cwnd, .flags = FLAGS
#else
enum { ON_RENO = 1 };
#define SMALL_CONNECTIONS PRIVATE_CONNECTIONS

static inline void *own_area(struct sock *sk, uint32_t size) { return private_area(sk); }

static inline void base_init(struct sock *sk) { (void)sk; }
static inline uint32_t base_ssthresh(struct sock *sk) { return tcp_reno_ssthresh(sk); }
static inline void base_cong_avoid(struct sock *sk, uint32_t ack, uint32_t acked) {
    tcp_reno_cong_avoid(sk, ack, acked);
}
static inline void base_set_state(struct sock *sk, uint8_t state) { (void)sk, (void)state; }
#define BASE_OPS .undo_cwnd = (void *)base_undo_cwnd, .flags = FLAGS
#endif

SEC("struct_ops/undo_cwnd") uint32_t BPF_PROG(base_undo_cwnd, struct sock *sk) { return tcp_reno_undo_cwnd(sk); }

#endif
