/*
 * RFC 9438, section 4: CUBIC, with slow start and the recovery period of RFC 9002, in one header to be copied into a stack. C11 and
 * C++17; no allocation, no floating point, no global state.
 *
 * Windows are in bytes, as section 4.1 allows, and times in ns. The text uses real numbers. Here W_est and the
 * window have a fraction in units of 2^-32 bytes and are compared in whole bytes. K is in whole ns, and W_cubic in
 * whole bytes from W_max. Every division is rounded down. Written from draft-ietf-tcpm-rfc8312bis-15, the last before
 * the RFC. Slow start is plain (4.10, MAY), without the recommended HyStart++ (SHOULD). The timer of a sender with a
 * window of one segment and further marks (4.6, MUST) is not implemented. U1 to U12: the open points of the page. The
 * same functions in the same order are in reference-py, cubic/plain_cubic_rfc_9438.py.
 *
 *     struct cubic_rfc_9438 cubic;
 *     cubic_rfc_9438_begin(&cubic, max_datagram_size, initial_window);
 *     ... for packets sent: cubic_rfc_9438_on_sent(&cubic, now_ns);
 *     ... for each ACK frame: cubic_rfc_9438_on_ack(&cubic, &ack);
 *     ... for packets declared lost, but not PMTU probes (RFC 9000, section 14.4): cubic_rfc_9438_on_lost(&cubic, sent_time_of_last_loss, now_ns);
 *     ... when the ECN-CE counter rises: cubic_rfc_9438_on_ce(&cubic, sent_time_of_largest_acked, now_ns);
 *     ... cubic_rfc_9438_on_persistent_congestion(&cubic), and cubic_rfc_9438_on_spurious_loss(&cubic) on the
 *     ... arrival of packets declared lost;
 *     ... for another maximum datagram size: cubic_rfc_9438_on_datagram_size(&cubic, size, handshake, initial_window).
 *
 * Domain: times in ns from 1, below 2^59 (18 years), not decreasing. Packets of 1 to 2^16 - 1 bytes, ACKs of less
 * than 2^48 bytes, an initial window of 1 to 2^62 - 1 bytes. Unlike in newreno_rfc_9002.h, 0 does not select the
 * recommended window. The window stays below 2^62.
 *
 * Invariant: windows are below 2^62; K below 2^52, and C * K^3 at most W_max in an epoch. The clock, which leaves time
 * out and is stopped since limited_since or idle_since, is not before t_epoch. W_est is not cut off: it exceeds 2^62 by
 * less than 2^17 bytes for each ACK, for fewer than 2^39 ACKs.
 */
#ifndef CUBIC_RFC_9438_H
#define CUBIC_RFC_9438_H

#include <stdint.h>

/* BPF lacks 128-bit products: hide an operand from the optimiser, which would recognise a product. Its verifier follows
 * every path of a loop over bits: compare and add without a branch. */
#if defined(__bpf__)
#define CUBIC_RFC_9438_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#define CUBIC_RFC_9438_IF(bit, x) (CUBIC_RFC_9438_HIDDEN(bit) * (x))
#define CUBIC_RFC_9438_BELOW(x, y) (((~(x) & (y)) | ((~(x) | (y)) & CUBIC_RFC_9438_HIDDEN((x) - (y)))) >> 63)
#define CUBIC_RFC_9438_DIGIT(x, c) (2 - CUBIC_RFC_9438_BELOW(x, c) - CUBIC_RFC_9438_BELOW(x, 2 * (c)))
#else
#define CUBIC_RFC_9438_HIDDEN(x) (x)
#define CUBIC_RFC_9438_IF(bit, x) (bit ? (x) : 0)
#define CUBIC_RFC_9438_DIGIT(x, c) ((x) < (c) ? 0 : (x) < 2 * (c) ? 1 : 2)
#endif

#define CUBIC_RFC_9438_NONE UINT64_MAX /* no ssthresh, W_max or time */
#define CUBIC_RFC_9438_WINDOW_MAX ((UINT64_C(1) << 62) - 1)

enum cubic_rfc_9438_outcome {
    CUBIC_RFC_9438_GROWN,
    CUBIC_RFC_9438_GROWN_AVOIDANCE,
    CUBIC_RFC_9438_APP_LIMITED,
    CUBIC_RFC_9438_IN_RECOVERY,
    CUBIC_RFC_9438_REDUCED,
    CUBIC_RFC_9438_ALREADY_REDUCED,
    CUBIC_RFC_9438_COLLAPSED,
    CUBIC_RFC_9438_RESTORED,
    CUBIC_RFC_9438_UNCHANGED
};

/* The variables of section 4.1.2 that a spurious loss restores. w_est_fraction, cwnd_fraction: in units of 2^-32 bytes. */
struct cubic_rfc_9438_variables {
    uint64_t cwnd;
    uint64_t ssthresh;
    uint64_t congestion_recovery_start_time;
    uint64_t cwnd_prior;
    uint64_t w_max;
    uint64_t k;
    uint64_t t_epoch;
    uint64_t w_est;
    uint32_t w_est_fraction;
    uint32_t cwnd_fraction;
    int in_recovery;
};

/* limited_since and idle_since: start of the time with unused window. left_out: total of past time with unused window;
 * t_epoch is a time of a clock without it. undo: the variables before the last loss, if has_undo. */
struct cubic_rfc_9438 {
    struct cubic_rfc_9438_variables now;
    uint64_t mss;
    uint64_t limited_since;
    uint64_t idle_since;
    uint64_t left_out;
    struct cubic_rfc_9438_variables undo;
    int has_undo;
};

/* Packets of one size that were sent at one time. */
struct cubic_rfc_9438_run {
    uint32_t count;
    uint32_t size_bytes;
    uint64_t sent_time;
};

/* An ACK frame. bytes_in_flight: after it. smoothed_rtt: 0 before the first sample. */
struct cubic_rfc_9438_ack {
    uint64_t now;
    uint64_t bytes_in_flight;
    uint64_t smoothed_rtt;
    const struct cubic_rfc_9438_run *runs;
    uint32_t run_count;
    int app_limited;
};

/* 192 bits, least significant limb first. */
struct cubic_rfc_9438_natural {
    uint32_t limbs[6];
};

static inline void cubic_rfc_9438_end_idle_time(struct cubic_rfc_9438 *s, uint64_t now);
static inline void cubic_rfc_9438_on_new_ack_in_congestion_avoidance(struct cubic_rfc_9438 *s, uint64_t bytes_acked,
                                                                     const struct cubic_rfc_9438_ack *ack);
static inline void cubic_rfc_9438_begin_stage(struct cubic_rfc_9438 *s, uint64_t cwnd_epoch);
static inline uint64_t cubic_rfc_9438_w_cubic(const struct cubic_rfc_9438 *s, uint64_t t);
static inline uint64_t cubic_rfc_9438_cube_root(const struct cubic_rfc_9438_natural *number);
static inline void cubic_rfc_9438_set_cwnd(struct cubic_rfc_9438 *s, uint64_t cwnd, uint64_t fraction);

/* Begin in slow start. */
static inline void cubic_rfc_9438_begin(struct cubic_rfc_9438 *s, uint32_t max_datagram_size, uint64_t initial_window) {
    s->now.cwnd = initial_window; /* [cubic.begin] */
    s->now.ssthresh = CUBIC_RFC_9438_NONE;
    s->now.congestion_recovery_start_time = 0;
    s->now.cwnd_prior = 0;
    s->now.w_max = CUBIC_RFC_9438_NONE;
    s->now.k = 0;
    s->now.t_epoch = CUBIC_RFC_9438_NONE;
    s->now.w_est = 0;
    s->now.w_est_fraction = 0;
    s->now.cwnd_fraction = 0;
    s->now.in_recovery = 0;
    s->mss = max_datagram_size;
    s->limited_since = CUBIC_RFC_9438_NONE;
    s->idle_since = CUBIC_RFC_9438_NONE;
    s->left_out = 0;
    s->undo = s->now;
    s->has_undo = 0;
}

/* 4.2: time without bytes in flight does not count. */
static inline void cubic_rfc_9438_on_sent(struct cubic_rfc_9438 *s, uint64_t now) {
    cubic_rfc_9438_end_idle_time(s, now);
}

/* 4.2: leave out the time that has passed without bytes in flight. */
static inline void cubic_rfc_9438_end_idle_time(struct cubic_rfc_9438 *s, uint64_t now) {
    if (s->idle_since != CUBIC_RFC_9438_NONE)
        s->left_out += now - s->idle_since; /* [cubic.limited.idle] */
    s->idle_since = CUBIC_RFC_9438_NONE;
}

/* RFC 9002, B.5: InCongestionRecovery. */
static inline int cubic_rfc_9438_in_congestion_recovery(const struct cubic_rfc_9438 *s, uint64_t sent_time) {
    return sent_time <= s->now.congestion_recovery_start_time;
}

/* RFC 9002, 7.3.2: the recovery period ends when a packet sent during this period is acknowledged. */
static inline void cubic_rfc_9438_end_recovery(struct cubic_rfc_9438 *s, const struct cubic_rfc_9438_ack *ack) {
    for (uint32_t i = 0; i < ack->run_count; i++)
        if (!cubic_rfc_9438_in_congestion_recovery(s, ack->runs[i].sent_time))
            s->now.in_recovery = 0;
}

/* Return the number of packets of a run that are acknowledged in slow start; the last of them reaches the threshold. */
static inline uint64_t cubic_rfc_9438_slow_start_packets(const struct cubic_rfc_9438 *s, struct cubic_rfc_9438_run run) {
    if (s->now.ssthresh == CUBIC_RFC_9438_NONE)
        return run.count;
    uint64_t missing_bytes = s->now.ssthresh > s->now.cwnd ? s->now.ssthresh - s->now.cwnd : 0;
    uint64_t missing = (missing_bytes + run.size_bytes - 1) / run.size_bytes; /* the sum is below 2^62 + 2^16 */
    return missing < run.count ? missing : run.count;
}

/* RFC 9002, 7.3.1: slow start, by less than 2^48 bytes, up to the bound that keeps all sums in 64 bits. */
static inline void cubic_rfc_9438_increase(struct cubic_rfc_9438 *s, uint64_t more_bytes) {
    s->now.cwnd += more_bytes;
    if (s->now.cwnd > CUBIC_RFC_9438_WINDOW_MAX)
        s->now.cwnd = CUBIC_RFC_9438_WINDOW_MAX;
}

/* A new ACK: slow start packet by packet, and congestion avoidance once for all other bytes. */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_ack(struct cubic_rfc_9438 *s, const struct cubic_rfc_9438_ack *ack) {
    cubic_rfc_9438_end_recovery(s, ack);
    cubic_rfc_9438_end_idle_time(s, ack->now);
    if (ack->app_limited) {
        if (s->limited_since == CUBIC_RFC_9438_NONE)
            s->limited_since = ack->now;
        return CUBIC_RFC_9438_APP_LIMITED; /* [cubic.limited.growth] */
    }
    enum cubic_rfc_9438_outcome outcome = CUBIC_RFC_9438_IN_RECOVERY;
    uint64_t bytes_acked = 0;
    for (uint32_t i = 0; i < ack->run_count; i++) {
        struct cubic_rfc_9438_run run = ack->runs[i];
        outcome = CUBIC_RFC_9438_IN_RECOVERY;
        if (cubic_rfc_9438_in_congestion_recovery(s, run.sent_time))
            continue;
        outcome = CUBIC_RFC_9438_GROWN;
        /* At cwnd = ssthresh the text has slow start (4.10), RFC 9002 has congestion avoidance (7.3.3), which is used
         * here (U9). */
        uint64_t packets = cubic_rfc_9438_slow_start_packets(s, run);
        cubic_rfc_9438_increase(s, packets * run.size_bytes);
        if (packets < run.count) {
            bytes_acked += (run.count - packets) * run.size_bytes;
            outcome = CUBIC_RFC_9438_GROWN_AVOIDANCE;
        }
    }
    if (bytes_acked > 0)
        cubic_rfc_9438_on_new_ack_in_congestion_avoidance(s, bytes_acked, ack);
    if (ack->bytes_in_flight == 0 && s->limited_since == CUBIC_RFC_9438_NONE)
        s->idle_since = ack->now;
    return outcome;
}

/* a * b / c and its rest, for b <= c < 2^62 and a < 2^62: bit by bit of a where the product has more than 64. */
static inline uint64_t cubic_rfc_9438_share(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest) {
    uint64_t quotient = 0, remainder = 0;
    if (b == 0 || a <= CUBIC_RFC_9438_HIDDEN(UINT64_MAX / b)) {
        *rest = a * b % c;
        return a * b / c;
    }
    for (int i = 62; i-- > 0;) {
        remainder = 2 * remainder + CUBIC_RFC_9438_IF(a >> i & 1, b); /* <= 2 (c - 1) + c < 2^64 */
        uint64_t digit = CUBIC_RFC_9438_DIGIT(remainder, c);
        quotient = 2 * quotient + digit;
        remainder -= digit * c;
    }
    *rest = remainder;
    return quotient;
}

/* 4.2 to 4.5. */
static inline void cubic_rfc_9438_on_new_ack_in_congestion_avoidance(struct cubic_rfc_9438 *s, uint64_t bytes_acked,
                                                                     const struct cubic_rfc_9438_ack *ack) {
    uint64_t cwnd = s->now.cwnd, rest;
    if (s->limited_since != CUBIC_RFC_9438_NONE)
        s->left_out += ack->now - s->limited_since; /* [cubic.limited.time] */
    s->limited_since = CUBIC_RFC_9438_NONE;
    uint64_t t_current = ack->now - s->left_out;
    if (s->now.t_epoch == CUBIC_RFC_9438_NONE) {
        s->now.t_epoch = t_current; /* [cubic.epoch.begin] */
        cubic_rfc_9438_begin_stage(s, cwnd);
    }
    uint64_t t = t_current - s->now.t_epoch;
    bytes_acked = bytes_acked < cwnd ? bytes_acked : cwnd; /* [cubic.grow.at-most-a-window] this project's bound */
    uint64_t alpha = s->now.w_est >= s->now.cwnd_prior ? 1 : 9;
    uint64_t of = s->now.w_est >= s->now.cwnd_prior ? 1 : 17; /* [cubic.friendly.alpha], [cubic.friendly.alpha-one] */
    /* 9 * (2^16 - 1) * 2^32 < 2^52, and so is the quotient, since bytes_acked <= cwnd. */
    uint64_t more = cubic_rfc_9438_share(alpha * s->mss << 32, bytes_acked, cwnd, &rest) / of; /* [cubic.friendly.estimate] */
    more += s->now.w_est_fraction;
    s->now.w_est += more >> 32;
    s->now.w_est_fraction = (uint32_t)more;
    if (cubic_rfc_9438_w_cubic(s, t) < s->now.w_est) {
        /* If W_est is below cwnd, the text lowers cwnd to it; elsewhere in the text cwnd only grows. Here it only grows
         * (U8). */
        if (s->now.w_est > cwnd)                                                   /* [cubic.friendly.never-lowers] */
            cubic_rfc_9438_set_cwnd(s, s->now.w_est, s->now.w_est_fraction); /* [cubic.friendly.region] */
    } else {
        uint64_t target = cubic_rfc_9438_w_cubic(s, t + ack->smoothed_rtt);              /* [cubic.target] */
        target = target > cwnd ? target : cwnd;                                          /* [cubic.target.least] */
        target = target < cwnd + cwnd / 2 ? target : cwnd + cwnd / 2;                    /* [cubic.target.most] */
        /* The text grows by (target - cwnd) / cwnd segments for each new ACK; here for each segment (U1). */
        uint64_t whole = cubic_rfc_9438_share(target - cwnd, bytes_acked, cwnd, &rest); /* [cubic.grow] [cubic.grow.share] */
        uint64_t fraction = cubic_rfc_9438_share(UINT64_C(1) << 32, rest, cwnd, &rest); /* below 2^32 */
        cubic_rfc_9438_set_cwnd(s, cwnd + whole, s->now.cwnd_fraction + fraction);
    }
}

/* Multiply a number; bits above 192 would be cut off. */
static inline struct cubic_rfc_9438_natural cubic_rfc_9438_times(struct cubic_rfc_9438_natural a, uint64_t factor) {
    struct cubic_rfc_9438_natural product = {{0, 0, 0, 0, 0, 0}};
    for (int half = 0; half < 2; half++) {
        uint64_t digit = half ? factor >> 32 : factor & UINT32_MAX, carry = 0;
        for (int i = 0; i + half < 6; i++) {
            carry += digit * a.limbs[i] + product.limbs[i + half]; /* at most (2^32 - 1)^2 + 2 (2^32 - 1) < 2^64 */
            product.limbs[i + half] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

/* Divide a number, rounding down. */
static inline struct cubic_rfc_9438_natural cubic_rfc_9438_over(struct cubic_rfc_9438_natural a, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = 6; i-- > 0;) {
        rest = rest << 32 | a.limbs[i];
        a.limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return a;
}

/* Return the cube of a number below 2^64. */
static inline struct cubic_rfc_9438_natural cubic_rfc_9438_cube(uint64_t a) {
    struct cubic_rfc_9438_natural one = {{1, 0, 0, 0, 0, 0}};
    return cubic_rfc_9438_times(cubic_rfc_9438_times(cubic_rfc_9438_times(one, a), a), a);
}

/* 4.2; after a timeout (4.8) W_max is cwnd_epoch, and K is 0. After HyStart++ (4.10) cwnd_prior would be cwnd_epoch too.
 * The text does not define K for cwnd_epoch above W_max: here it is 0 as well (U11). */
static inline void cubic_rfc_9438_begin_stage(struct cubic_rfc_9438 *s, uint64_t cwnd_epoch) {
    if (s->now.w_max == CUBIC_RFC_9438_NONE || s->now.w_max < cwnd_epoch)
        s->now.w_max = cwnd_epoch; /* [cubic.epoch.no-maximum] [cubic.epoch.low-maximum] */
    struct cubic_rfc_9438_natural number = {{5, 0, 0, 0, 0, 0}}; /* * 10^27 * 2^62 < 2^155 */
    number = cubic_rfc_9438_times(number, s->now.w_max - cwnd_epoch);
    for (int i = 0; i < 3; i++)
        number = cubic_rfc_9438_times(number, 1000000000); /* a second, in ns, cubed */
    number = cubic_rfc_9438_over(number, (uint32_t)(2 * s->mss));
    s->now.k = cubic_rfc_9438_cube_root(&number); /* [cubic.k] */
    s->now.w_est = cwnd_epoch; /* [cubic.friendly.begin] */
    s->now.w_est_fraction = s->now.cwnd_fraction;
}

/* 4.2: C * time^3 with C = 2/5. From 2^52 ns on it exceeds every window: 2 * 2^156 / (5 * 10^27) > 2^62; below, the
 * cube times 2 * (2^16 - 1) is less than 2^173. */
static inline uint64_t cubic_rfc_9438_rise(uint64_t mss, uint64_t time) {
    if (time >> 52 > 0)
        return CUBIC_RFC_9438_WINDOW_MAX;
    struct cubic_rfc_9438_natural number = cubic_rfc_9438_times(cubic_rfc_9438_cube(time), 2 * mss);
    for (int i = 0; i < 3; i++)
        number = cubic_rfc_9438_over(number, 1000000000);
    number = cubic_rfc_9438_over(number, 5); /* below 2^173 / 2^92 */
    uint64_t rise = (uint64_t)number.limbs[1] << 32 | number.limbs[0];
    return number.limbs[2] == 0 && rise < CUBIC_RFC_9438_WINDOW_MAX ? rise : CUBIC_RFC_9438_WINDOW_MAX;
}

/* 4.2: C * (t - K)^3 + W_max. */
static inline uint64_t cubic_rfc_9438_w_cubic(const struct cubic_rfc_9438 *s, uint64_t t) {
    if (t < s->now.k)
        return s->now.w_max - cubic_rfc_9438_rise(s->mss, s->now.k - t); /* [cubic.window.concave] C * K^3 <= W_max */
    uint64_t rise = cubic_rfc_9438_rise(s->mss, t - s->now.k), most = CUBIC_RFC_9438_WINDOW_MAX - s->now.w_max;
    return s->now.w_max + (rise < most ? rise : most); /* [cubic.window] */
}

/* Return the largest integer whose cube is at most a number below 2^156. */
static inline uint64_t cubic_rfc_9438_cube_root(const struct cubic_rfc_9438_natural *number) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 51; bit > 0; bit >>= 1) {
        struct cubic_rfc_9438_natural cubed = cubic_rfc_9438_cube(root + bit);
#if defined(__bpf__)
        uint64_t borrow = 0;
        for (int i = 0; i < 6; i++)
            borrow = CUBIC_RFC_9438_HIDDEN(number->limbs[i] - (uint64_t)cubed.limbs[i] - borrow) >> 63;
        root += bit & (borrow - 1);
#else
        int i = 5;
        while (i > 0 && cubed.limbs[i] == number->limbs[i])
            i--;
        if (cubed.limbs[i] <= number->limbs[i])
            root += bit; /* [cubic.root] */
#endif
    }
    return root;
}

/* Set the window to a number with a fraction, which may exceed a byte. */
static inline void cubic_rfc_9438_set_cwnd(struct cubic_rfc_9438 *s, uint64_t cwnd, uint64_t fraction) {
    s->now.cwnd = cwnd + (fraction >> 32); /* below 2^62 + 2^61 + 2 */
    s->now.cwnd_fraction = (uint32_t)fraction;
    if (s->now.cwnd > CUBIC_RFC_9438_WINDOW_MAX) {
        s->now.cwnd = CUBIC_RFC_9438_WINDOW_MAX;
        s->now.cwnd_fraction = 0;
    }
}

/* 4.6 and 4.7, once for each recovery period of RFC 9002. A QUIC sender whose unused window does not grow may reduce
 * cwnd instead of flight_size (U3); fast convergence is always on (U5). */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_congestion_event(struct cubic_rfc_9438 *s, uint64_t minimum_window,
                                                                             uint64_t sent_time, uint64_t now) {
    uint64_t cwnd = s->now.cwnd, two = 2 * s->mss;
    if (cubic_rfc_9438_in_congestion_recovery(s, sent_time))
        return CUBIC_RFC_9438_ALREADY_REDUCED;
    s->now.congestion_recovery_start_time = now;
    s->now.in_recovery = 1;
    if (s->now.w_max != CUBIC_RFC_9438_NONE && cwnd < s->now.w_max)
        s->now.w_max = cwnd / 20 * 17 + cwnd % 20 * 17 / 20; /* [cubic.maximum.fast-convergence] 17 cwnd / 20 */
    else
        s->now.w_max = cwnd;
    s->now.cwnd_prior = cwnd;                             /* [cubic.maximum] */
    uint64_t ssthresh = cwnd / 10 * 7 + cwnd % 10 * 7 / 10; /* [cubic.reduce] 7 cwnd / 10 */
    s->now.cwnd = ssthresh > minimum_window ? ssthresh : minimum_window; /* [cubic.reduce.at-once] */
    s->now.ssthresh = ssthresh > two ? ssthresh : two; /* [cubic.reduce.minimum] */
    s->now.cwnd_fraction = 0;
    s->now.t_epoch = CUBIC_RFC_9438_NONE;
    return CUBIC_RFC_9438_REDUCED;
}

/* 4.6, and 4.9.2: save the variables before it. sent_time_of_last_loss: the latest sending time of the lost packets. */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_lost(struct cubic_rfc_9438 *s, uint64_t sent_time_of_last_loss,
                                                                 uint64_t now) {
    struct cubic_rfc_9438_variables saved = s->now; /* [cubic.spurious.save] */
    enum cubic_rfc_9438_outcome outcome = cubic_rfc_9438_on_congestion_event(s, 2 * s->mss, sent_time_of_last_loss, now);
    if (outcome == CUBIC_RFC_9438_REDUCED) {
        s->undo = saved;
        s->has_undo = 1;
    }
    return outcome;
}

/* 4.6: the reduction on ECE. This project's rule: earlier losses can no longer be spurious. sent_time: sending time of
 * the largest packet acknowledged. */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_ce(struct cubic_rfc_9438 *s, uint64_t sent_time, uint64_t now) {
    enum cubic_rfc_9438_outcome outcome =
        cubic_rfc_9438_on_congestion_event(s, s->mss, sent_time, now); /* [cubic.reduce.minimum-ce] */
    if (outcome == CUBIC_RFC_9438_REDUCED)
        s->has_undo = 0;
    return outcome;
}

/* 4.8: the timeout. The loss that established it has already set ssthresh (U10). K will be 0. Earlier losses can no
 * longer be restored (U7). */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_persistent_congestion(struct cubic_rfc_9438 *s) {
    s->now.w_max = CUBIC_RFC_9438_NONE; /* [cubic.persistent] */
    s->now.t_epoch = CUBIC_RFC_9438_NONE;
    s->now.cwnd_fraction = 0;
    s->has_undo = 0;          /* [cubic.spurious.persistent] */
    s->now.cwnd = 2 * s->mss; /* RFC 9002, B.8 */
    s->now.congestion_recovery_start_time = 0;
    s->now.in_recovery = 0;
    return CUBIC_RFC_9438_COLLAPSED;
}

/* 4.9.2. The recovery period of RFC 9002, which the text does not mention, is restored as well (U7), as it would be
 * now. Member t_epoch is restored without the time that has been left out since (U12). */
static inline enum cubic_rfc_9438_outcome cubic_rfc_9438_on_spurious_loss(struct cubic_rfc_9438 *s) {
    if (!s->has_undo || s->now.cwnd >= s->now.cwnd_prior)
        return CUBIC_RFC_9438_UNCHANGED; /* [cubic.spurious.late] */
    /* An ACK that ended this recovery period also ended the previous period, which began earlier. */
    int in_recovery = s->undo.in_recovery && s->now.in_recovery; /* [cubic.spurious.recovery] */
    s->now = s->undo; /* [cubic.spurious] */
    s->now.in_recovery = in_recovery;
    s->has_undo = 0;
    return CUBIC_RFC_9438_RESTORED;
}

/* RFC 9002, 7.2. K is computed for one segment size: the next ACK begins another stage (open). With `handshake`
 * the size changes in order to complete the handshake; initial_window is the initial window of the new size. */
static inline void cubic_rfc_9438_on_datagram_size(struct cubic_rfc_9438 *s, uint32_t max_datagram_size, int handshake,
                                                   uint64_t initial_window) {
    s->now.t_epoch = s->undo.t_epoch = CUBIC_RFC_9438_NONE;
    s->now.cwnd_fraction = s->undo.cwnd_fraction = 0;
    if (handshake && max_datagram_size < s->mss && initial_window < s->now.cwnd)
        s->now.cwnd = initial_window; /* [slow-start.datagram-size.handshake] */
    s->mss = max_datagram_size; /* [slow-start.datagram-size.growth] */
}

#endif
