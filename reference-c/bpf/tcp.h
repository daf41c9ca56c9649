/*
 * Common part of the congestion controls for Linux: fields of a TCP socket, storage for each connection, units, kernel
 * functions for growth and reduction. Headers count bytes and ns; the kernel counts segments and us.
 */
#ifndef FIRSTFLIGHT_BPF_TCP_H
#define FIRSTFLIGHT_BPF_TCP_H

#include "types.h"

#include <bpf/bpf_tracing.h>

#define NONE UINT64_MAX
enum { INFINITE_SSTHRESH = 0x7fffffff, AF_INET6 = 10, PACING_NONE = 0, PACING_NEEDED = 1, NON_RESTRICTED = 1 };
enum { CA_OPEN, CA_DISORDER, CA_CWR, CA_RECOVERY, CA_LOSS };
enum { SOL_TCP = 6, TCP_CONGESTION = 13 }; /* arguments of setsockopt */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct net {
    uint64_t net_cookie;
};
struct in6_addr {
    struct {
        uint32_t u6_addr32[4];
    } in6_u;
};
typedef struct {
    struct net *net;
} possible_net_t;
struct sock_common {
    uint32_t skc_daddr;
    unsigned short skc_family;
    possible_net_t skc_net;
    struct in6_addr skc_v6_daddr;
};
struct sock {
    struct sock_common __sk_common;
    uint32_t sk_pacing_status;
    unsigned long sk_pacing_rate;
};
struct inet_sock {
    struct sock sk;
};
struct inet_connection_sock {
    struct inet_sock icsk_inet;
    uint8_t icsk_ca_state : 5;
    uint64_t icsk_ca_priv[13];
};
struct tcp_rack {
    uint32_t rtt_us;
};
struct tcp_sock {
    struct inet_connection_sock inet_conn;
    uint32_t snd_cwnd, snd_cwnd_clamp, snd_ssthresh, mss_cache, snd_nxt, snd_una, snd_wnd, write_seq, total_retrans;
    uint32_t packets_out, sacked_out, lost_out, retrans_out, max_packets_out, srtt_us;
    uint64_t tcp_mstamp, bytes_acked;
    struct tcp_rack rack;
    uint8_t is_cwnd_limited : 1;
};
struct ack_sample {
    uint32_t pkts_acked;
    int32_t rtt_us;
};
struct rate_sample {
    uint32_t prior_delivered;
    int32_t delivered;
    long interval_us;
    long rtt_us;
    int losses;
    uint32_t acked_sacked, prior_in_flight;
    _Bool is_app_limited;
};
#pragma clang attribute pop

#include <bpf/bpf_core_read.h>

enum tcp_ca_event { CA_EVENT_TX_START };

/* Members are found by name in the kernel's type. */
struct tcp_congestion_ops {
    uint32_t (*ssthresh)(struct sock *sk);
    void (*cong_avoid)(struct sock *sk, uint32_t ack, uint32_t acked);
    void (*set_state)(struct sock *sk, uint8_t state);
    void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
    void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
    uint32_t (*min_tso_segs)(struct sock *sk);
    void (*cong_control)(struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample);
    uint32_t (*undo_cwnd)(struct sock *sk);
    char name[16];
    uint32_t flags;
    void (*init)(struct sock *sk);
};

extern uint32_t tcp_reno_ssthresh(struct sock *sk) __ksym;
extern uint32_t tcp_reno_undo_cwnd(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, uint32_t ack, uint32_t acked) __ksym;

/* State of a connection, common to all algorithms. sent_from, acked_from: the kernel's counters at the begin. rtt_ns is
 * the sample of the current ACK, or NONE. snd_nxt, snd_una: values at the last count of new bytes. mss is 0 before the
 * begin. rest: bytes of the window beyond whole segments, while the kernel's window is still `packets`. paces is set
 * while our pacing goes on. change: state of the change to the later programs. */
struct tcp {
    uint64_t sent_from, acked_from, rtt_ns;
    uint32_t snd_nxt, snd_una, mss, packets, rest;
    uint8_t paces, change;
};
enum { CHANGE_LATER, CHANGING, CHANGED };

/* Storage for `struct connection`, which each algorithm defines with a member `tcp`. */
#define CONNECTIONS                                                                                                    \
    struct {                                                                                                           \
        __uint(type, BPF_MAP_TYPE_SK_STORAGE);                                                                         \
        __uint(map_flags, BPF_F_NO_PREALLOC);                                                                          \
        __type(key, int);                                                                                              \
        __type(value, struct connection);                                                                              \
    } connections SEC(".maps");                                                                                        \
    static inline struct connection *of(struct sock *sk) { return bpf_sk_storage_get(&connections, sk, 0, 0); }        \
    static inline struct connection *create(struct sock *sk) {                                                         \
        struct connection *c = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);                   \
        if (!c || c->tcp.change == CHANGING)                                                                           \
            return 0;                                                                                                  \
        tcp_begin(&c->tcp, tcp_sk(sk));                                                                                \
        return c;                                                                                                      \
    }

/* Private area of the socket. The kernel clears it before `init`. An access needs no call of a helper and no further
 * cache lines, but each offset must be a constant. */
enum { PRIVATE_BYTES = 104 }; /* ICSK_CA_PRIV_SIZE of the kernel */
#define private_area(sk) ((void *)&tcp_sk(sk)->inet_conn.icsk_ca_priv)

/* As CONNECTIONS, for a small `struct connection`, in the private area. */
#define PRIVATE_CONNECTIONS                                                                                            \
    _Static_assert(sizeof(struct connection) <= PRIVATE_BYTES, "use CONNECTIONS");                                     \
    static inline struct connection *of(struct sock *sk) {                                                             \
        struct connection *c = private_area(sk);                                                                       \
        return c->tcp.mss ? c : 0; /* the kernel calls some programs before `init` */                                  \
    }                                                                                                                  \
    static inline struct connection *create(struct sock *sk) {                                                         \
        struct connection *c = private_area(sk);                                                                       \
        tcp_begin(&c->tcp, tcp_sk(sk));                                                                                \
        return c;                                                                                                      \
    }

#define tcp_sk(sk) ((struct tcp_sock *)(sk))

static inline int ca_state(const struct tcp_sock *tp) { return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state); }

static inline void tcp_begin(struct tcp *c, const struct tcp_sock *tp) {
    c->acked_from = tp->bytes_acked;
    c->sent_from = tp->bytes_acked + (tp->snd_nxt - tp->snd_una);
    c->rtt_ns = NONE;
    c->snd_nxt = tp->snd_nxt;
    c->snd_una = tp->snd_una;
    c->mss = tp->mss_cache ? tp->mss_cache : 1;
    c->packets = tp->snd_cwnd;
    c->rest = 0;
    c->paces = 0;
    c->change = CHANGE_LATER;
}

/*
 * Later programs: the same congestion control without `min_tso_segs`, under another name. The kernel calls
 * `min_tso_segs` several times for each ACK, which costs more than the work at the ACK. A connection changes to them
 * when its start is over, and keeps its storage: `init` runs again, and `create` returns 0 there.
 */
#define LATER__(name) name##_2
#define LATER_(name) LATER__(name)
#define LATER LATER_(NAME)
#define LATER_TEXT NAME_TEXT "_2"

/* Out of line, as it runs once. The kernel clears the private area: put its content back. */
static __attribute__((noinline, unused)) void change(struct sock *sk) {
    uint64_t *private = private_area(sk), kept[PRIVATE_BYTES / 8];
    char name[] = LATER_TEXT;
    for (int i = 0; i < PRIVATE_BYTES / 8; i++)
        kept[i] = private[i];
    bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, name, sizeof name - 1);
    for (int i = 0; i < PRIVATE_BYTES / 8; i++)
        private[i] = kept[i];
}

static inline void change_to_later(struct sock *sk, struct tcp *c) {
    if (c->change != CHANGE_LATER || ca_state(tcp_sk(sk)) != CA_OPEN)
        return;
    c->change = CHANGING;
    change(sk);
    c->change = CHANGED;
}

/* Whether each ACK is recorded; the program then needs the storage of the connection. */
#ifdef FIRSTFLIGHT_TRACE
enum { TRACED = 1 };
#else
enum { TRACED = 0 };
#endif

/* NON_RESTRICTED lets users without CAP_NET_ADMIN choose the algorithm. */
#ifdef ALLOW_ALL
#define FLAGS NON_RESTRICTED
#else
#define FLAGS 0
#endif

/* Time when the kernel received the ACK, or began to send. */
static inline uint64_t now_ns(const struct tcp_sock *tp) { return tp->tcp_mstamp * 1000; }

/* Bytes that were acknowledged since the begin, and bytes that were sent, each once. */
static inline uint64_t acked_bytes(const struct tcp *c, const struct tcp_sock *tp) {
    return tp->bytes_acked - c->acked_from;
}
static inline uint64_t sent_bytes(const struct tcp *c, const struct tcp_sock *tp) {
    return tp->bytes_acked + (tp->snd_nxt - tp->snd_una) - c->sent_from;
}

/* Return the bytes that were sent for the first time since the last call. */
static inline uint32_t newly_sent(struct tcp *c, const struct tcp_sock *tp) {
    uint32_t nxt = tp->snd_nxt, more = nxt - c->snd_nxt;
    c->snd_nxt = nxt;
    return more;
}

/* Return the bytes that were acknowledged since the last call. */
static inline uint32_t newly_acked(struct tcp *c, const struct tcp_sock *tp) {
    uint32_t una = tp->snd_una, more = una - c->snd_una;
    c->snd_una = una;
    return more;
}

/* Bytes as a number of segments, rounded up: the number of the first segment that begins there or later. */
static inline uint64_t segments(const struct tcp *c, uint64_t bytes) {
    uint64_t last = bytes + c->mss - 1;
    return last >> 32 ? last / c->mss : (uint32_t)last / c->mss; /* a division of 32 bits costs less */
}

/* Return the number of the first byte of the segment that is sent next. */
static inline uint64_t next_segment(const struct tcp *c, const struct tcp_sock *tp) {
    return segments(c, sent_bytes(c, tp)) * c->mss;
}

static inline uint64_t rtt_in_ns(long rtt_us) { return rtt_us >= 0 ? (uint64_t)rtt_us * 1000 : NONE; }
static inline void note_rtt(struct tcp *c, long rtt_us) { c->rtt_ns = rtt_in_ns(rtt_us); }

/* RTT of the segment sent last among those delivered: `pkts_acked` has the same sample, and costs another program. */
static inline void note_latest_rtt(struct tcp *c, const struct tcp_sock *tp) {
    note_rtt(c, tp->rack.rtt_us ? (long)tp->rack.rtt_us : -1);
}

static inline uint64_t in_flight(const struct tcp *c, const struct tcp_sock *tp) {
    uint32_t out = tp->packets_out + tp->retrans_out, left = tp->sacked_out + tp->lost_out;
    return out > left ? (uint64_t)(out - left) * c->mss : 0;
}

static inline int in_slow_start(const struct tcp_sock *tp) { return tp->snd_cwnd < tp->snd_ssthresh; }

/* Whether an algorithm that acts in slow start only leaves an ACK to the controller below it, without the storage of
 * the connection. */
static inline int slow_start_is_over(const struct tcp_sock *tp) { return !TRACED && !in_slow_start(tp); }

/* tcp_is_cwnd_limited of the kernel, inverted. */
static inline int app_limited(const struct tcp_sock *tp) {
    if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
        return 0;
    return !in_slow_start(tp) || tp->snd_cwnd >= 2 * tp->max_packets_out;
}

static inline uint64_t cwnd_bytes(const struct tcp *c, const struct tcp_sock *tp) {
    return (uint64_t)tp->snd_cwnd * c->mss + (tp->snd_cwnd == c->packets ? c->rest : 0);
}

/* Set the window: whole segments, at least one, and the rest of the bytes for later. */
static inline void set_cwnd(struct tcp *c, struct tcp_sock *tp, uint64_t bytes) {
    uint32_t mss = c->mss;
    uint64_t packets = c->packets, rest = bytes - packets * mss;
    if (rest >= mss) {
        /* A division of 32 bits costs less, and is enough for growth. */
        packets = rest >> 32 ? bytes / mss : packets + (uint32_t)rest / mss;
        rest = bytes - packets * mss;
    }
    c->rest = rest;
    if (packets > tp->snd_cwnd_clamp || packets == 0) {
        packets = packets ? tp->snd_cwnd_clamp : 1;
        c->rest = 0;
    }
    c->packets = tp->snd_cwnd = packets;
}

static inline uint64_t ssthresh_bytes(const struct tcp *c, const struct tcp_sock *tp) {
    return tp->snd_ssthresh >= INFINITE_SSTHRESH ? NONE : (uint64_t)tp->snd_ssthresh * c->mss;
}

static inline void set_ssthresh(const struct tcp *c, struct tcp_sock *tp, uint64_t bytes) {
    uint64_t packets = bytes / c->mss;
    tp->snd_ssthresh = packets < INFINITE_SSTHRESH ? packets > 2 ? packets : 2 : INFINITE_SSTHRESH;
}

/* Let the kernel pace at a rate in bytes per second; NONE: as before. Queues with fq pace by the same rate. */
static inline void pace(struct tcp *c, struct tcp_sock *tp, uint64_t rate) {
    struct sock *sk = &tp->inet_conn.icsk_inet.sk;
    if (rate == NONE) {
        if (c->paces)
            sk->sk_pacing_status = PACING_NONE;
        c->paces = 0;
    } else if (sk->sk_pacing_status == PACING_NONE) {
        sk->sk_pacing_status = PACING_NEEDED;
        c->paces = 1;
    }
    sk->sk_pacing_rate = rate;
}

/* Set the rate as the kernel does at each ACK without `cong_control`: the rate bounds the size of a burst. */
static inline void update_pacing_rate(struct tcp_sock *tp) {
    struct sock *sk = &tp->inet_conn.icsk_inet.sk;
    uint64_t percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;
    if (tp->srtt_us >> 3)
        sk->sk_pacing_rate = percent * 10000 * tp->snd_cwnd * tp->mss_cache / (tp->srtt_us >> 3);
}

#ifdef FIRSTFLIGHT_TRACE
#include "trace.h"

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 22);
} records SEC(".maps");

static inline struct trace_record *trace_begin(struct tcp *c, struct tcp_sock *tp, enum trace_kind kind) {
    struct trace_record *r = bpf_ringbuf_reserve(&records, sizeof *r, 0);
    if (!r)
        return r;
    r->kind = kind;
    r->socket = (uint64_t)tp;
    r->now_ns = now_ns(tp);
    r->rtt_ns = c->rtt_ns;
    r->sent = sent_bytes(c, tp);
    r->acked = acked_bytes(c, tp);
    r->in_flight = in_flight(c, tp);
    r->cwnd = tp->snd_cwnd;
    r->rest = tp->snd_cwnd == c->packets ? c->rest : 0;
    r->ssthresh = tp->snd_ssthresh;
    r->state = ca_state(tp);
    r->mss = c->mss;
    r->srtt_us = tp->srtt_us >> 3;
    return r;
}

/* Record an ACK that was processed: the window before it, segments that it delivered. */
static inline void record(struct tcp *c, struct tcp_sock *tp, uint32_t before, uint32_t packets, int limited) {
    struct trace_record *r = trace_begin(c, tp, TRACE_ACK);
    if (!r)
        return;
    r->values[0] = before;
    r->values[1] = packets;
    r->values[2] = limited;
    bpf_ringbuf_submit(r, 0);
}

/* Record another input of the algorithm. */
#define note(c, tp, kind, ...)                                                                                         \
    do {                                                                                                               \
        struct trace_record *r_ = trace_begin(c, tp, kind);                                                            \
        uint64_t values_[6] = {__VA_ARGS__};                                                                           \
        if (!r_)                                                                                                       \
            break;                                                                                                     \
        for (int i_ = 0; i_ < 6; i_++)                                                                                 \
            r_->values[i_] = values_[i_];                                                                              \
        bpf_ringbuf_submit(r_, 0);                                                                                     \
    } while (0)
#else
#define record(c, tp, before, packets, limited) ((void)(before), (void)(packets), (void)(limited))
#define note(c, tp, kind, ...) ((void)0)
#endif

#endif
