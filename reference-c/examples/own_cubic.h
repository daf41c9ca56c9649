/* Minimal CUBIC, a placeholder for the controller of your stack. Windows in bytes, times in ns. */
#ifndef EXAMPLE_OWN_CUBIC_H
#define EXAMPLE_OWN_CUBIC_H

#include <stdint.h>

#define OWN_CUBIC_INFINITE UINT64_MAX

struct own_cubic {
    uint64_t mss, cwnd, ssthresh, w_max, epoch_ns, k_ms, recovery_start_ns;
};

static inline void own_cubic_begin(struct own_cubic *c, uint64_t mss)
{
    c->mss = mss;
    c->cwnd = 10 * mss;
    c->ssthresh = OWN_CUBIC_INFINITE;
    c->w_max = c->epoch_ns = c->k_ms = c->recovery_start_ns = 0;
}

static inline void own_cubic_on_ack(struct own_cubic *c, uint64_t acked_bytes, uint64_t sent_ns, uint64_t now_ns)
{
    if (sent_ns <= c->recovery_start_ns) {
        return;
    }
    if (c->cwnd < c->ssthresh) {
        c->cwnd += acked_bytes;
        return;
    }
    if (c->epoch_ns == 0) { /* the curve begins: it reaches w_max after K, when 0.4 K^3 = w_max - cwnd */
        c->epoch_ns = now_ns;
        c->w_max = c->w_max > c->cwnd ? c->w_max : c->cwnd;
        for (c->k_ms = 0; 4 * c->k_ms * c->k_ms * c->k_ms < (c->w_max - c->cwnd) / c->mss * UINT64_C(10000000000); c->k_ms += 10) {
        }
    }
    uint64_t t_ms = (now_ns - c->epoch_ns) / 1000000;
    uint64_t d_ms = t_ms > c->k_ms ? t_ms - c->k_ms : c->k_ms - t_ms;
    uint64_t moved = 4 * d_ms * d_ms * d_ms / 10 * c->mss / 1000000000;
    uint64_t target = t_ms > c->k_ms ? c->w_max + moved : c->w_max - (moved < c->w_max ? moved : c->w_max);

    if (target > c->cwnd) {
        c->cwnd += (target - c->cwnd) * acked_bytes / c->cwnd;
    }
}

static inline void own_cubic_on_loss(struct own_cubic *c, uint64_t sent_ns, uint64_t now_ns)
{
    if (sent_ns <= c->recovery_start_ns) {
        return;
    }
    c->recovery_start_ns = now_ns;
    c->epoch_ns = 0;
    c->w_max = c->cwnd;
    c->cwnd = c->ssthresh = c->cwnd * 7 / 10 > 2 * c->mss ? c->cwnd * 7 / 10 : 2 * c->mss;
}

#endif
