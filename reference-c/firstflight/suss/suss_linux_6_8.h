/*
 * SUSS, the patch of its authors for Linux 6.8 (tcp_cubic.c, tcp_input.c, tcp_output.c), in one header to be copied into a stack. C11 and
 * C++17; no allocation, no floating point, no global state.
 *
 * The text is the code, and variables have its names. Windows are in bytes here. The position of an ACK is the largest
 * packet that it newly acknowledges. Growth ends where the code divides by zero. The same functions in the same order
 * are in reference-py, suss/plain_suss_linux_6_8.py.
 *
 *     struct suss_linux_6_8 suss;
 *     struct suss_linux_6_8_window window; // of your controller: copy it in before each call and out after it
 *     suss_linux_6_8_begin(&suss, max_datagram_size);
 *     ... for packets sent: suss_linux_6_8_on_sent(...), not before suss_linux_6_8_next_release_ns(&suss)
 *     ... for each ACK frame: suss.in_flight = bytes in flight after it; with an RTT sample suss_linux_6_8_acked(...); then, while
 *     suss_linux_6_8_is_active(&suss) and suss.cap is NONE, suss_linux_6_8_measurements(...); then your growth; then suss_linux_6_8_keep_minimum(&suss, &window)
 *     ... for losses and CE marks that begin a recovery period, with suss.in_flight as after them, and before your reduction:
 *     suss_linux_6_8_init_cwnd_reduction(&suss, &window)
 *     ... on persistent congestion, before your window collapses: suss_linux_6_8_enter_loss(&suss, now, cwnd).
 *
 * Domain: times in ns from 1 and RTTs, below 2^59 (18 years); times do not decrease. Packet numbers, windows and bytes
 * in flight are below 2^62. An event has less than 2^48 bytes and 2^32 packets. A datagram has 1 to 2^16 - 1 bytes.
 *
 * Invariant: 1 <= round_no <= 31, r_minupdate <= round_no, blue_cnt <= 2^30. Jumps: num_of_jump <= 3 and num_of_jump <
 * round_no, and num_of_jump < round_no - 1 until the tail of this round (tail_seq >= head_seq). Quotients:
 * prev_delta_t_bat < 2^39, rate < 2^39. RTTs: delay_min < 2^50, and delay_min > 0 if the round has an RTT. Packets:
 * head_seq <= 2^62, and head_seq = 0 in round 1.
 */
#ifndef SUSS_LINUX_6_8_H
#define SUSS_LINUX_6_8_H

#include <stdint.h>

#define SUSS_LINUX_6_8_NONE UINT64_MAX
#define SUSS_LINUX_6_8_TIME_MAX ((UINT64_C(1) << 59) - 1)
#define SUSS_LINUX_6_8_WINDOW_MAX ((UINT64_C(1) << 62) - 1)
/* This project's limits of packets, trains, rates and transmissions, so that 64 bits suffice. */
#define SUSS_LINUX_6_8_BLUE_MAX (UINT64_C(1) << 30)
#define SUSS_LINUX_6_8_TRAIN_MAX ((UINT64_C(1) << 32) - 1)
#define SUSS_LINUX_6_8_RATE_MAX (UINT64_C(1) << 43)
#define SUSS_LINUX_6_8_SENT_MAX (UINT64_C(1) << 33)

enum {
    SUSS_LINUX_6_8_INIT_CWND = 10,
    SUSS_LINUX_6_8_SUSS_MAX = 3,
    SUSS_LINUX_6_8_LOW_WINDOW = 16,
    SUSS_LINUX_6_8_MIN_SAMPLES = 8,
    SUSS_LINUX_6_8_ACK_DELTA = 2000, /* us, like all times without the suffix _ns */
    SUSS_LINUX_6_8_ACK_DELAY = 1000,
    SUSS_LINUX_6_8_DELAY_MIN = 4000,
    SUSS_LINUX_6_8_DELAY_MAX = 16000,
    SUSS_LINUX_6_8_ROUND_MAX = 31
};

enum suss_linux_6_8_state {
    SUSS_LINUX_6_8_CLOCKING = 1,
    SUSS_LINUX_6_8_PACING = 2,
    SUSS_LINUX_6_8_CAPPED = 3,
    SUSS_LINUX_6_8_DELAYED = 4,
    SUSS_LINUX_6_8_REDUCED = 9,
    SUSS_LINUX_6_8_DISABLED = 10
};

enum suss_linux_6_8_part { SUSS_LINUX_6_8_RED, SUSS_LINUX_6_8_BLUE, SUSS_LINUX_6_8_TAIL };

enum suss_linux_6_8_outcome {
    SUSS_LINUX_6_8_NOTHING,
    SUSS_LINUX_6_8_EXITED_BY_TRAIN,
    SUSS_LINUX_6_8_EXITED_BY_DELAY,
    SUSS_LINUX_6_8_EXITED_BY_CAP,
    SUSS_LINUX_6_8_SUSS_CAPPED,
    SUSS_LINUX_6_8_SUSS_PACED,
    SUSS_LINUX_6_8_SUSS_CLOCKED,
    SUSS_LINUX_6_8_SUSS_DISABLED,
    SUSS_LINUX_6_8_SUSS_OPENED
};

/* State of your controller that SUSS reads and sets. ssthresh: UINT64_MAX while it is infinite. in_slow_start: in slow
 * start, and not in recovery. */
struct suss_linux_6_8_window {
    uint64_t cwnd;
    uint64_t ssthresh;
    int in_slow_start;
};

/* The variables of HyStart, of SUSS, and of the socket. */
struct suss_linux_6_8 {
    uint64_t max_datagram_size;
    uint64_t delay_min; /* 0 without an RTT */
    uint64_t curr_rtt;  /* NONE without an RTT */
    uint64_t sample_cnt;
    uint64_t round_start;
    uint64_t last_ack;
    uint64_t end_seq;
    uint64_t head_seq;
    uint64_t tail_seq;
    uint64_t round_start_us;
    uint64_t round_no;
    uint64_t cap; /* NONE: suss_flag is 0 */
    uint64_t r_minupdate;
    uint64_t blue_cnt;
    uint64_t prev_delta_t_bat;
    uint64_t num_of_jump;
    uint64_t limit;
    uint64_t pacing_start_ns;
    uint64_t rate;
    uint64_t wstamp_ns; /* NONE: packets are clocked */
    uint64_t in_flight;
    uint64_t snd_nxt;
    uint8_t found;
    uint8_t gf;
    uint8_t is_blue;
    uint8_t state;
};

static inline void suss_linux_6_8_hystart_reset(struct suss_linux_6_8 *s, uint64_t now, uint64_t snd_nxt);
static inline enum suss_linux_6_8_outcome suss_linux_6_8_hystart_update(struct suss_linux_6_8 *s, uint64_t now, uint64_t delay, uint64_t seq, uint64_t snd_nxt,
                                                struct suss_linux_6_8_window *window);
static inline enum suss_linux_6_8_outcome suss_linux_6_8_suss_cap(struct suss_linux_6_8 *s, uint64_t now, struct suss_linux_6_8_window *window);
static inline void suss_linux_6_8_stop(struct suss_linux_6_8 *s, enum suss_linux_6_8_state state, struct suss_linux_6_8_window *window);
static inline int suss_linux_6_8_train_is_long(struct suss_linux_6_8 *s, uint64_t now);
static inline int suss_linux_6_8_delay_is_long(struct suss_linux_6_8 *s, uint64_t delay);
static inline uint64_t suss_linux_6_8_blue_pkt(const struct suss_linux_6_8 *s);
static inline enum suss_linux_6_8_outcome suss_linux_6_8_tail(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t acked_bytes, uint64_t cwnd);
static inline int suss_linux_6_8_speedup(struct suss_linux_6_8 *s, uint64_t delta_t_bat);
static inline void suss_linux_6_8_quadruple(struct suss_linux_6_8 *s, uint64_t acked_bytes, uint64_t cwnd);
static inline void suss_linux_6_8_pace(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t sent_bytes);

static inline uint64_t suss_linux_6_8_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

static inline uint64_t suss_linux_6_8_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Return the earliest time of the next packet while SUSS paces; else NONE. */
static inline uint64_t suss_linux_6_8_next_release_ns(const struct suss_linux_6_8 *s) {
    return s->state == SUSS_LINUX_6_8_PACING ? s->wstamp_ns : SUSS_LINUX_6_8_NONE;
}

/* cubictcp_init. */
static inline void suss_linux_6_8_begin(struct suss_linux_6_8 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size;
    s->delay_min = s->sample_cnt = s->round_start = s->last_ack = s->end_seq = 0;
    s->curr_rtt = s->cap = s->wstamp_ns = SUSS_LINUX_6_8_NONE;
    s->head_seq = s->round_start_us = s->r_minupdate = s->blue_cnt = s->prev_delta_t_bat = s->num_of_jump = 0;
    s->limit = s->pacing_start_ns = s->rate = s->in_flight = s->snd_nxt = 0;
    s->tail_seq = SUSS_LINUX_6_8_INIT_CWND - 1;
    s->round_no = 1; /* [suss.begin] */
    s->found = 0;
    s->gf = 1;
    s->is_blue = SUSS_LINUX_6_8_RED;
    s->state = SUSS_LINUX_6_8_CLOCKING;
}

/* Return whether suss_state is below 3. */
static inline int suss_linux_6_8_is_active(const struct suss_linux_6_8 *s) {
    return s->state < SUSS_LINUX_6_8_CAPPED;
}

/* This project's rule: red ACKs do not lower the window below its minimum. */
static inline void suss_linux_6_8_keep_minimum(const struct suss_linux_6_8 *s, struct suss_linux_6_8_window *window) {
    if (s->state == SUSS_LINUX_6_8_PACING)
        window->cwnd = suss_linux_6_8_max(window->cwnd, 2 * s->max_datagram_size); /* [suss.window.least] */
}

/* bictcp_hystart_reset. */
static inline void suss_linux_6_8_hystart_reset(struct suss_linux_6_8 *s, uint64_t now, uint64_t snd_nxt) {
    s->round_start = s->last_ack = now;
    s->end_seq = snd_nxt;
    s->curr_rtt = SUSS_LINUX_6_8_NONE;
    s->sample_cnt = 0;
}

/* cubictcp_acked, for an ACK with an RTT sample. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_acked(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t rtt_ns, uint64_t seq, uint64_t snd_nxt,
                                       struct suss_linux_6_8_window *window) {
    uint64_t delay = suss_linux_6_8_max(rtt_ns / 1000, 1);
    if (s->delay_min == 0 || s->delay_min > delay) {
        s->delay_min = delay;
        s->r_minupdate = s->round_no; /* [suss.minimum.round] */
    }
    if (s->found || !window->in_slow_start)
        return SUSS_LINUX_6_8_NOTHING; /* [suss.hystart.once] */
    return suss_linux_6_8_hystart_update(s, now_ns / 1000, delay, seq, snd_nxt, window);
}

/* hystart_update: rounds begin at any window; slow start may end from a window of 16 packets on. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_hystart_update(struct suss_linux_6_8 *s, uint64_t now, uint64_t delay, uint64_t seq, uint64_t snd_nxt,
                                                struct suss_linux_6_8_window *window) {
    if (seq >= s->end_seq)
        suss_linux_6_8_hystart_reset(s, now, snd_nxt);
    if (window->cwnd < SUSS_LINUX_6_8_LOW_WINDOW * s->max_datagram_size)
        return SUSS_LINUX_6_8_NOTHING;
    enum suss_linux_6_8_outcome outcome = suss_linux_6_8_suss_cap(s, now, window);
    if (s->state == SUSS_LINUX_6_8_DISABLED && suss_linux_6_8_train_is_long(s, now))
        outcome = SUSS_LINUX_6_8_EXITED_BY_TRAIN; /* [suss.exit.train] */
    if (suss_linux_6_8_delay_is_long(s, delay) && (outcome == SUSS_LINUX_6_8_NOTHING || outcome == SUSS_LINUX_6_8_SUSS_CAPPED)) {
        if (s->state < SUSS_LINUX_6_8_REDUCED)
            suss_linux_6_8_stop(s, SUSS_LINUX_6_8_DELAYED, window);
        outcome = SUSS_LINUX_6_8_EXITED_BY_DELAY; /* [suss.exit.delay] */
    }
    if (outcome != SUSS_LINUX_6_8_NOTHING && outcome != SUSS_LINUX_6_8_SUSS_CAPPED) {
        s->found = 1;
        window->ssthresh = window->cwnd; /* [suss.exit] */
    }
    return outcome;
}

/* suss_cap: leave slow start above the cap, or set it. With at most three jumps the packets are below 2^33, their bytes
 * below 2^49. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_suss_cap(struct suss_linux_6_8 *s, uint64_t now, struct suss_linux_6_8_window *window) {
    if (s->cap != SUSS_LINUX_6_8_NONE && window->cwnd > s->cap) {
        suss_linux_6_8_stop(s, SUSS_LINUX_6_8_CAPPED, window); /* [suss.exit.cap] */
        return SUSS_LINUX_6_8_EXITED_BY_CAP;
    }
    if (s->cap != SUSS_LINUX_6_8_NONE || !suss_linux_6_8_is_active(s) || s->is_blue == SUSS_LINUX_6_8_RED)
        return SUSS_LINUX_6_8_NOTHING; /* [suss.cap.blue] */
    if (now - s->last_ack > SUSS_LINUX_6_8_ACK_DELTA)
        return SUSS_LINUX_6_8_NOTHING; /* [suss.cap.broken] */
    s->last_ack = now;
    if ((now - s->round_start) << s->num_of_jump <= (s->delay_min + SUSS_LINUX_6_8_ACK_DELAY) / 2)
        return SUSS_LINUX_6_8_NOTHING; /* [suss.cap.train] */
    uint64_t packets = s->blue_cnt * ((UINT64_C(1) << s->num_of_jump) - 1);
    s->cap = window->cwnd + packets * s->max_datagram_size; /* [suss.cap] */
    return SUSS_LINUX_6_8_SUSS_CAPPED;
}

/* End SUSS; after two jumps set the window to the bytes in flight. */
static inline void suss_linux_6_8_stop(struct suss_linux_6_8 *s, enum suss_linux_6_8_state state, struct suss_linux_6_8_window *window) {
    s->state = (uint8_t)state; /* [suss.exit.stopped] */
    if (s->num_of_jump > 1)
        window->cwnd = suss_linux_6_8_max(s->in_flight, 2 * s->max_datagram_size); /* [suss.exit.in-flight] */
}

/* HYSTART_ACK_TRAIN. */
static inline int suss_linux_6_8_train_is_long(struct suss_linux_6_8 *s, uint64_t now) {
    if (now - s->last_ack > SUSS_LINUX_6_8_ACK_DELTA)
        return 0;
    s->last_ack = now;
    return now - s->round_start > (s->delay_min + SUSS_LINUX_6_8_ACK_DELAY) / 2;
}

/* HYSTART_DELAY. */
static inline int suss_linux_6_8_delay_is_long(struct suss_linux_6_8 *s, uint64_t delay) {
    s->curr_rtt = suss_linux_6_8_min(s->curr_rtt, delay);
    if (s->sample_cnt < SUSS_LINUX_6_8_MIN_SAMPLES) {
        s->sample_cnt++;
        return 0;
    }
    uint64_t threshold = suss_linux_6_8_min(suss_linux_6_8_max(s->delay_min / 8, SUSS_LINUX_6_8_DELAY_MIN), SUSS_LINUX_6_8_DELAY_MAX);
    return s->curr_rtt > s->delay_min + threshold;
}

/* suss_measurements. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_measurements(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t seq, uint64_t snd_nxt, uint64_t packets,
                                              uint64_t acked_bytes, struct suss_linux_6_8_window *window) {
    enum suss_linux_6_8_outcome outcome = SUSS_LINUX_6_8_NOTHING;
    if (s->is_blue == SUSS_LINUX_6_8_TAIL)
        s->is_blue = SUSS_LINUX_6_8_RED;
    if (seq >= s->head_seq) {
        s->is_blue = SUSS_LINUX_6_8_BLUE;
        s->blue_cnt = 0;
        s->round_no = suss_linux_6_8_min(s->round_no + 1, SUSS_LINUX_6_8_ROUND_MAX); /* [suss.round] */
        s->round_start_us = now_ns / 1000;
        s->head_seq = snd_nxt;
        s->state = SUSS_LINUX_6_8_CLOCKING; /* [suss.round.clocked] */
        s->wstamp_ns = SUSS_LINUX_6_8_NONE;
    }
    if (seq >= s->tail_seq)
        outcome = suss_linux_6_8_tail(s, now_ns, acked_bytes, window->cwnd);
    if (s->is_blue != SUSS_LINUX_6_8_RED)
        s->blue_cnt = suss_linux_6_8_min(s->blue_cnt + packets, SUSS_LINUX_6_8_BLUE_MAX); /* [suss.round.count] */
    else if (s->state == SUSS_LINUX_6_8_PACING)
        window->cwnd -= suss_linux_6_8_min(acked_bytes, window->cwnd); /* [suss.red.no-growth] */
    return outcome;
}

/* Return blue_pkt of suss_measurements: below 2^34. */
static inline uint64_t suss_linux_6_8_blue_pkt(const struct suss_linux_6_8 *s) {
    return (uint64_t)SUSS_LINUX_6_8_INIT_CWND << (s->round_no - 1); /* [suss.round.blue] */
}

/* suss_measurements at the tail of the blue part. Blue packets are at most 80 if a train is measured: their product is
 * below 2^39. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_tail(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t acked_bytes, uint64_t cwnd) {
    s->is_blue = SUSS_LINUX_6_8_TAIL;
    s->tail_seq = s->head_seq + suss_linux_6_8_blue_pkt(s) - 1; /* [suss.round.tail] */
    if (!s->gf || s->blue_cnt == 0 || s->round_no >= SUSS_LINUX_6_8_SUSS_MAX + 2) {
        s->gf = 0; /* [suss.train.none] [suss.later.last] */
        return SUSS_LINUX_6_8_SUSS_CLOCKED;
    }
    uint64_t elapsed = suss_linux_6_8_min(now_ns / 1000 - s->round_start_us, SUSS_LINUX_6_8_TRAIN_MAX);
    uint64_t delta_t_bat = suss_linux_6_8_blue_pkt(s) * elapsed / (2 * s->blue_cnt); /* [suss.train] */
    s->gf = (uint8_t)suss_linux_6_8_speedup(s, delta_t_bat); /* [suss.ends] */
    if (!s->gf)
        return s->state == SUSS_LINUX_6_8_DISABLED ? SUSS_LINUX_6_8_SUSS_DISABLED : SUSS_LINUX_6_8_SUSS_CLOCKED;
    s->prev_delta_t_bat = delta_t_bat;
    suss_linux_6_8_quadruple(s, acked_bytes, cwnd);
    uint64_t rest = s->delay_min >> (s->round_no - 1);
    if (rest <= delta_t_bat)
        return SUSS_LINUX_6_8_SUSS_CLOCKED; /* [suss.guard.none] */
    s->state = SUSS_LINUX_6_8_PACING;
    s->num_of_jump++;
    s->pacing_start_ns = suss_linux_6_8_min(now_ns + (rest - delta_t_bat) / 2 * 1000, SUSS_LINUX_6_8_TIME_MAX); /* [suss.guard] */
    return SUSS_LINUX_6_8_SUSS_PACED;
}

/* suss_speedup. delta_t is below 2^41, mu below 2^51; mu * delta_t >> 9 <= delay_min is tested without the product. */
static inline int suss_linux_6_8_speedup(struct suss_linux_6_8 *s, uint64_t delta_t_bat) {
    if (s->round_no == 2) {
        if (s->delay_min > 10000 && delta_t_bat < s->delay_min >> 2)
            return 1; /* [suss.second] */
        s->state = SUSS_LINUX_6_8_DISABLED; /* [suss.second.disabled] */
        return 0;
    }
    uint64_t delta_t = delta_t_bat << (s->round_no - 2);
    uint64_t prev_delta_t = s->prev_delta_t_bat << (s->round_no - 3);
    if (prev_delta_t == 0 || s->curr_rtt == SUSS_LINUX_6_8_NONE)
        return 0; /* [suss.later.none] [suss.later.no-sample] */
    uint64_t mu = (delta_t << 10) / (prev_delta_t << 1); /* [suss.later.ratio] */
    if (delta_t > 0 && mu > (((s->delay_min + 1) << 9) - 1) / delta_t)
        return 0; /* [suss.later.train] */
    uint64_t k = s->round_no - s->r_minupdate;
    return (k + 1) * s->curr_rtt <= (k + 1) * s->delay_min + (k * s->delay_min >> 3); /* [suss.later.delay] */
}

/* Set suss_limit and suss_rate. Red packets are at most 560: their bytes are below 2^26, and below 2^50 scaled. */
static inline void suss_linux_6_8_quadruple(struct suss_linux_6_8 *s, uint64_t acked_bytes, uint64_t cwnd) {
    uint64_t blue_ack = suss_linux_6_8_blue_pkt(s) >> 1;
    uint64_t red_pkt = (suss_linux_6_8_blue_pkt(s) << (s->round_no - 1)) - suss_linux_6_8_blue_pkt(s); /* [suss.red] */
    uint64_t red_ack = (blue_ack << (s->round_no - 2)) - blue_ack; /* [suss.red.in-flight] */
    uint64_t limit = cwnd + acked_bytes + (red_pkt - red_ack) * s->max_datagram_size;
    s->limit = suss_linux_6_8_min(limit, SUSS_LINUX_6_8_WINDOW_MAX); /* [suss.limit] */
    uint64_t pacing_duration = s->delay_min - (s->delay_min >> (s->round_no - 1)); /* [suss.pacing.span] */
    uint64_t rate = suss_linux_6_8_min((red_pkt * s->max_datagram_size << 24) / pacing_duration, SUSS_LINUX_6_8_RATE_MAX);
    s->rate = rate * 1000000 >> 24; /* [suss.pacing.rate] */
}

/* tcp_update_skb_after_send; the outcome is SUSS_OPENED or NOTHING. */
static inline enum suss_linux_6_8_outcome suss_linux_6_8_on_sent(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t last, uint64_t sent_bytes, uint64_t in_flight,
                                         struct suss_linux_6_8_window *window) {
    s->snd_nxt = last + 1;
    s->in_flight = suss_linux_6_8_min(in_flight, SUSS_LINUX_6_8_WINDOW_MAX);
    if (s->state != SUSS_LINUX_6_8_PACING)
        return SUSS_LINUX_6_8_NOTHING;
    if (s->wstamp_ns != SUSS_LINUX_6_8_NONE && s->rate > 0)
        suss_linux_6_8_pace(s, now_ns, sent_bytes);
    if (window->cwnd >= s->limit || s->in_flight + s->max_datagram_size <= window->cwnd)
        return SUSS_LINUX_6_8_NOTHING;
    window->cwnd = suss_linux_6_8_min(window->cwnd + 2 * s->max_datagram_size, SUSS_LINUX_6_8_WINDOW_MAX); /* [suss.open] */
    if (s->wstamp_ns == SUSS_LINUX_6_8_NONE)
        s->wstamp_ns = s->pacing_start_ns; /* [suss.pacing.begin] */
    return SUSS_LINUX_6_8_SUSS_OPENED;
}

/* tcp_update_skb_after_send: pacing of any socket by the kernel. 2^33 * 10^9 is below 2^63. */
static inline void suss_linux_6_8_pace(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t sent_bytes) {
    uint64_t len_ns = suss_linux_6_8_min(sent_bytes, SUSS_LINUX_6_8_SENT_MAX) * UINT64_C(1000000000) / s->rate; /* [suss.pacing.gap] */
    uint64_t credit = now_ns > s->wstamp_ns ? now_ns - s->wstamp_ns : 0;
    len_ns -= suss_linux_6_8_min(len_ns / 2, credit); /* [suss.pacing.late] */
    s->wstamp_ns = suss_linux_6_8_min(suss_linux_6_8_max(s->wstamp_ns, now_ns) + len_ns, SUSS_LINUX_6_8_TIME_MAX);
}

/* tcp_init_cwnd_reduction, before your controller reduces. */
static inline void suss_linux_6_8_init_cwnd_reduction(struct suss_linux_6_8 *s, struct suss_linux_6_8_window *window) {
    if (suss_linux_6_8_is_active(s))
        window->cwnd = suss_linux_6_8_max(s->in_flight, 2 * s->max_datagram_size); /* [suss.loss.in-flight] */
    if (s->state < SUSS_LINUX_6_8_REDUCED)
        s->state = SUSS_LINUX_6_8_REDUCED; /* [suss.loss] */
}

/* tcp_enter_loss and cubictcp_state, before your window collapses. */
static inline void suss_linux_6_8_enter_loss(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t cwnd) {
    if (cwnd < 40 * s->max_datagram_size)
        s->state = SUSS_LINUX_6_8_DISABLED; /* [suss.timeout] */
    s->found = 0;
    s->delay_min = 0;
    suss_linux_6_8_hystart_reset(s, now_ns / 1000, s->snd_nxt); /* [suss.timeout.hystart] */
}

#endif
