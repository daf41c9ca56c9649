/* The window rules of the toy base: an ACK in congestion avoidance adds datagrams, a reduction leaves 3/4. */
#include "firstflight/toy_base/toy_base.h"

void ff_toy_base_begin(struct ff_toy_base *state, const struct ff_toy_base_readings *readings)
{
    *state = (struct ff_toy_base){.readings = *readings};
}

void ff_toy_base_carry(struct ff_toy_base *state, const struct ff_toy_base_readings *readings)
{
    ff_toy_base_begin(state, readings);
}

static uint64_t on_acked(void *rules_state, uint64_t t_ns, const struct ff_ack *ack, uint64_t datagram_bytes,
                         uint64_t cwnd_bytes, uint64_t acked_bytes)
{
    const struct ff_toy_base *state = rules_state;

    (void)t_ns;
    (void)ack;
    return acked_bytes > 0 ? cwnd_bytes + state->readings.gain_datagrams * datagram_bytes : cwnd_bytes;
}

static void reduce(void *rules_state, uint64_t now_ns, uint64_t datagram_bytes, struct ff_windows *base, uint64_t flight_bytes,
                   bool ce)
{
    struct ff_toy_base *state = rules_state;

    (void)now_ns;
    (void)datagram_bytes;
    (void)flight_bytes;
    (void)ce;
    state->reductions++;
    base->cwnd_bytes = base->ssthresh_bytes = base->cwnd_bytes / 4 * 3 + base->cwnd_bytes % 4 * 3 / 4;
}

const struct ff_window_rules ff_toy_base_rules = {.beta_tenths = 5, .on_acked = on_acked, .reduce = reduce};
