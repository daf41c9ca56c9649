/*
 * Careful Resume, RFC 9959, on the kernel's Reno. Packet numbers are numbers of bytes. `min_tso_segs` is called
 * before each attempt to send: there the data that waits is known, and window and pacing rate take effect at once.
 * Safe Retreat sets the window at once, so `cong_control` replaces the kernel's proportional rate reduction. The
 * window is saved once for each window of data.
 */
#include "base.h"
#include "saved.h"
#include "careful_resume_rfc_9959.h"

struct connection {
    struct tcp tcp;
    struct careful_resume_rfc_9959 resume;
    uint64_t recovery_start_ns;
    uint32_t pacing;
};
CONNECTIONS

/* In the private area. save_at: count of acknowledged bytes (the kernel's) at the next save of the window. over: after
 * the start an ACK needs the storage only to save the window. */
struct at_each_ack {
    uint64_t save_at, min_rtt_ns;
    uint32_t over;
};
static inline struct at_each_ack *at_each_ack(struct sock *sk) { return private_area(sk); }

SEC("struct_ops/init") void BPF_PROG(resume_init, struct sock *sk) {
    struct connection *c = create(sk);
    struct at_each_ack *state = at_each_ack(sk);
    struct saved s = {0, 0, 0};
    if (!c)
        return;
    careful_resume_rfc_9959_begin(&c->resume, c->tcp.mss, cwnd_bytes(&c->tcp, tcp_sk(sk)));
    c->recovery_start_ns = 0;
    c->pacing = 0;
    state->save_at = c->tcp.acked_from;
    state->min_rtt_ns = NONE;
    if (take(sk, &s)) {
        struct careful_resume_rfc_9959_saved path = {s.cwnd_bytes, s.rtt_ns, s.expires_ns, NONE, 1, 2, 1, 0};
        careful_resume_rfc_9959_on_saved_path(&c->resume, &path, bpf_ktime_get_ns());
        note(&c->tcp, tcp_sk(sk), TRACE_SAVED, s.cwnd_bytes, s.rtt_ns, s.expires_ns);
    }
}

static inline struct careful_resume_rfc_9959_window window(const struct connection *c, const struct tcp_sock *tp) {
    struct careful_resume_rfc_9959_window w = {cwnd_bytes(&c->tcp, tp), ssthresh_bytes(&c->tcp, tp),
                                               c->recovery_start_ns};
    return w;
}

/* Set window and threshold if they changed, and pace in the Unvalidated Phase. */
static inline void set_window(struct connection *c, struct tcp_sock *tp, const struct careful_resume_rfc_9959_window *w,
                              const struct careful_resume_rfc_9959_window *before) {
    if (w->cwnd != before->cwnd)
        set_cwnd(&c->tcp, tp, w->cwnd);
    if (w->ssthresh != before->ssthresh)
        set_ssthresh(&c->tcp, tp, w->ssthresh);
    c->recovery_start_ns = w->recovery_start_time;
    if (c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED) {
        uint64_t us = c->resume.paced_rtt / 1000 + 1;
        uint64_t jump = c->resume.jump_cwnd < UINT64_C(1) << 40 ? c->resume.jump_cwnd : UINT64_C(1) << 40;
        pace(&c->tcp, tp, jump * 1000000 / us);
        c->pacing = 1;
    } else if (c->pacing) {
        pace(&c->tcp, tp, NONE);
        c->pacing = 0;
    }
}

static inline void sent(struct connection *c, struct tcp_sock *tp, struct careful_resume_rfc_9959_window *w) {
    uint64_t bytes = newly_sent(&c->tcp, tp), after = sent_bytes(&c->tcp, tp);
    if (!bytes)
        return;
    struct careful_resume_rfc_9959_sent s = {now_ns(tp), after - bytes, after - 1, bytes, in_flight(&c->tcp, tp),
                                             tp->write_seq == tp->snd_nxt};
    careful_resume_rfc_9959_on_sent(&c->resume, &s, w);
}

SEC("struct_ops/min_tso_segs") uint32_t BPF_PROG(resume_min_tso_segs, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_NORMAL)
        return 2;
    struct careful_resume_rfc_9959_window before = window(c, tp), w = before;
    uint32_t waiting = tp->write_seq - tp->snd_nxt, out = tp->snd_nxt - tp->snd_una;
    uint64_t allowed = tp->snd_wnd > out ? tp->snd_wnd - out : 0;
    sent(c, tp, &w);
    note(&c->tcp, tp, TRACE_BACKLOG, waiting, allowed, NONE);
    careful_resume_rfc_9959_on_backlog(&c->resume, now_ns(tp), waiting, allowed, &w);
    set_window(c, tp, &w, &before);
    return 2;
}

/* The window is worth saving while the sender uses it, outside of recovery. */
static inline int is_worth_saving(const struct at_each_ack *state, const struct tcp_sock *tp) {
    return tp->bytes_acked >= state->save_at && !app_limited(tp) && state->min_rtt_ns != NONE &&
           ca_state(tp) <= CA_DISORDER;
}

static inline void save_window(struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *state = at_each_ack(sk);
    struct connection *c = of(sk);
    if (!c)
        return;
    save(sk, cwnd_bytes(&c->tcp, tp), state->min_rtt_ns, now_ns(tp));
    state->save_at = c->tcp.acked_from + sent_bytes(&c->tcp, tp);
}

/* The start is over: the kernel's Reno, which sets the threshold at once in recovery. */
static inline void normal(struct sock *sk, uint32_t ack, uint32_t packets) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (ca_state(tp) == CA_CWR || ca_state(tp) == CA_RECOVERY)
        tp->snd_cwnd = tp->snd_ssthresh;
    else
        tcp_reno_cong_avoid(sk, ack, packets);
}

/* A jump may come or goes on. */
static inline void starting(struct sock *sk, struct connection *c, uint32_t ack, uint32_t packets) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct careful_resume_rfc_9959_window before = window(c, tp), w = before;
    careful_resume_rfc_9959_on_event(&c->resume, now_ns(tp));
    sent(c, tp, &w);
    set_window(c, tp, &w, &before);
    uint64_t acked = newly_acked(&c->tcp, tp), threshold;
    if (ca_state(tp) == CA_CWR || ca_state(tp) == CA_RECOVERY) {
        if (c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_NORMAL)
            tp->snd_cwnd = tp->snd_ssthresh;
    } else if (careful_resume_rfc_9959_on_ack_in_normal_cc(&c->resume, &w, &threshold)) {
        tcp_reno_cong_avoid(sk, ack, packets);
    }
    if (acked) {
        uint64_t after = acked_bytes(&c->tcp, tp);
        struct careful_resume_rfc_9959_run run = {after - acked, after - 1, 1};
        struct careful_resume_rfc_9959_ack frame = {now_ns(tp), acked, in_flight(&c->tcp, tp), c->tcp.rtt_ns, &run, 1};
        before = w = window(c, tp);
        careful_resume_rfc_9959_on_ack(&c->resume, &frame, &w);
        set_window(c, tp, &w, &before);
    }
}

SEC("struct_ops/cong_control")
void BPF_PROG(resume_cong_control, struct sock *sk, uint32_t ack, int flag, const struct rate_sample *sample) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct at_each_ack *state = at_each_ack(sk);
    uint64_t rtt_ns = rtt_in_ns(sample->rtt_us);
    if (rtt_ns < state->min_rtt_ns)
        state->min_rtt_ns = rtt_ns;
    int saves = is_worth_saving(state, tp); /* before the window grows */
    if (state->over) {
        normal(sk, ack, sample->acked_sacked);
        update_pacing_rate(tp);
        if (saves)
            save_window(sk);
        return;
    }
    struct connection *c = of(sk);
    if (!c)
        return;
    uint32_t packets = tp->snd_cwnd, limited = app_limited(tp);
    c->tcp.rtt_ns = rtt_ns;
    if (c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_NORMAL)
        normal(sk, ack, sample->acked_sacked);
    else
        starting(sk, c, ack, sample->acked_sacked);
    if (!c->pacing)
        update_pacing_rate(tp);
    if (saves && c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_NORMAL)
        save_window(sk);
    record(&c->tcp, tp, packets, sample->acked_sacked, limited);
    if (c->resume.phase == CAREFUL_RESUME_RFC_9959_PHASE_NORMAL) {
        change_to_later(sk, &c->tcp);
        state->over = !TRACED && !c->pacing && c->tcp.change == CHANGED;
    }
}

SEC("struct_ops/ssthresh") uint32_t BPF_PROG(resume_ssthresh, struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c)
        return tcp_reno_ssthresh(sk);
    struct careful_resume_rfc_9959_window before = window(c, tp), w = before;
    sent(c, tp, &w);
    enum careful_resume_rfc_9959_outcome outcome = careful_resume_rfc_9959_on_detected_congestion(
        &c->resume, CAREFUL_RESUME_RFC_9959_TRIGGER_PACKET_LOSS, now_ns(tp), in_flight(&c->tcp, tp), &w);
    set_window(c, tp, &w, &before);
    note(&c->tcp, tp, TRACE_LOSS, outcome);
    if (outcome == CAREFUL_RESUME_RFC_9959_RETREATED) {
        forget(sk);
        return tp->snd_cwnd > 2 ? tp->snd_cwnd : 2;
    }
    return outcome == CAREFUL_RESUME_RFC_9959_NORMAL ? tcp_reno_ssthresh(sk) : tp->snd_ssthresh;
}

SEC("struct_ops/set_state") void BPF_PROG(resume_set_state, struct sock *sk, uint8_t state) {
    struct tcp_sock *tp = tcp_sk(sk);
    struct connection *c = of(sk);
    if (!c || state != CA_LOSS)
        return;
    struct careful_resume_rfc_9959_window before = window(c, tp), w = before;
    careful_resume_rfc_9959_on_persistent_congestion(&c->resume, &w);
    set_window(c, tp, &w, &before);
}

SEC(".struct_ops")
struct tcp_congestion_ops NAME = {
    .init = (void *)resume_init,
    .min_tso_segs = (void *)resume_min_tso_segs,
    .cong_control = (void *)resume_cong_control,
    .set_state = (void *)resume_set_state,
    .ssthresh = (void *)resume_ssthresh,
    BASE_OPS,
    .name = NAME_TEXT,
};

SEC(".struct_ops")
struct tcp_congestion_ops LATER = {
    .init = (void *)resume_init,
    .cong_control = (void *)resume_cong_control,
    .set_state = (void *)resume_set_state,
    .ssthresh = (void *)resume_ssthresh,
    BASE_OPS,
    .name = LATER_TEXT,
};
