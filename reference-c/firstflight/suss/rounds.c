/* The rounds of SUSS. Mirrors reference-py/src/firstflight/suss/rounds.py. */
#include "firstflight/suss/rounds.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

#define US_NS UINT64_C(1000)

/* Return the number of packets of this round in slow start without SUSS: below 2^34. */
static uint64_t blue_packets(const struct ff_suss *state)
{
    return FF_SUSS_FIRST_PACKETS << (state->round_no - 1); /* [suss.round.blue] */
}

static void begin_round(struct ff_suss *state, uint64_t t_ns, const struct ff_ack *ack)
{
    state->part = FF_SUSS_PART_BLUE;
    state->blue_packets = 0;
    state->round_no = ff_min(state->round_no + 1, FF_SUSS_ROUND_MAX); /* [suss.round] */
    state->round_start_us = t_ns / US_NS;
    state->head_packet = ack->next_packet;
    state->mode = FF_SUSS_MODE_CLOCKED; /* [suss.round.clocked] */
    state->release_ns = FF_NONE;
}

/*
 * Return the duration of all blue ACKs, extrapolated from the ACKs before the tail; FF_NONE without such an ACK. The
 * round may be sped up, so it has at most 80 blue packets: the product is below 2^39.
 */
static uint64_t train_us(const struct ff_suss *state, uint64_t t_ns)
{
    if (state->blue_packets == 0) {
        return FF_NONE; /* [suss.train.none] */
    }
    uint64_t elapsed_us = ff_min(t_ns / US_NS - state->round_start_us, FF_SUSS_TRAIN_MAX_US);
    return blue_packets(state) * elapsed_us / (2 * state->blue_packets); /* [suss.train] */
}

/*
 * Return whether the predicted train of the next round is at most the minimum RTT. Trains are below 2^38, whole trains
 * below 2^40, and a ratio below 2^50: the comparison divides the bound of the ratio to avoid a product.
 */
static bool train_fits(const struct ff_suss *state, uint64_t blue_train_us)
{
    uint64_t before_us = state->train_us << (state->round_no - 3);
    if (before_us == 0) {
        return false; /* [suss.later.none] */
    }
    uint64_t whole_us = blue_train_us << (state->round_no - 2);
    uint64_t ratio = (whole_us << 10) / (2 * before_us); /* [suss.later.ratio] */
    uint64_t most = ((ff_suss_min_us(state) + 1) << 9) - 1;
    return whole_us == 0 || ratio <= most / whole_us; /* [suss.later.train] */
}

/* Return whether the RTT is predicted to rise by at most an eighth until the next round. */
static bool delay_fits(const struct ff_suss *state)
{
    uint64_t current_ns = state->hystart.current_min_ns;
    if (current_ns == FF_NO_RTT_NS) {
        return false; /* [suss.later.no-sample] */
    }
    uint64_t rounds = state->round_no - state->min_round;
    uint64_t allowed_us = (rounds + 1) * ff_suss_min_us(state) + (rounds * ff_suss_min_us(state) >> 3);
    return (rounds + 1) * (current_ns / US_NS) <= allowed_us; /* [suss.later.delay] */
}

/* Return whether the window is expected to double in the next round as well. */
static bool goes_on(struct ff_suss *state, uint64_t blue_train_us)
{
    if (state->round_no > 2) {
        return train_fits(state, blue_train_us) && delay_fits(state);
    }
    if (ff_suss_min_us(state) > FF_SUSS_LEAST_RTT_US && blue_train_us < ff_suss_min_us(state) >> 2) {
        return true; /* [suss.second] */
    }
    state->mode = FF_SUSS_MODE_DISABLED; /* [suss.second.disabled] */
    return false;
}

/* Set the limit of the window and the pacing rate of this round. Red packets are at most 560, and their bytes below
 * 2^26. */
static void set_limit(const struct ff_suss_readings *readings, struct ff_suss *state, const struct ff_base_state *base,
                      uint64_t acked_bytes)
{
    uint64_t blue = blue_packets(state);
    uint64_t doublings = readings->red == FF_SUSS_RED_JUMPS ? state->jumps + 1 : state->round_no - 1; /* [suss.red.jumps] */
    uint64_t red = (blue << doublings) - blue; /* [suss.red] */
    uint64_t red_acks = (blue / 2 << (doublings - 1)) - blue / 2; /* [suss.red.in-flight] */
    uint64_t size_bytes = base->max_datagram_size_bytes;
    uint64_t limit_bytes = base->cwnd_bytes + acked_bytes + (red - red_acks) * size_bytes; /* [suss.limit] */
    state->limit_bytes = ff_min(limit_bytes, FF_WINDOW_MAX_BYTES);
    uint64_t span_us = ff_suss_min_us(state) - (ff_suss_min_us(state) >> (state->round_no - 1)); /* [suss.pacing.span] */
    uint64_t per_us = ff_min((red * size_bytes << 24) / span_us, FF_SUSS_RATE_MAX);
    state->rate = per_us * 1000000 >> 24; /* [suss.pacing.rate] */
}

/* Set the start of pacing; return whether the train leaves time for it. */
static bool set_guard(const struct ff_suss_readings *readings, struct ff_suss *state, uint64_t t_ns, uint64_t blue_train_us)
{
    uint64_t rest_us = ff_suss_min_us(state) >> (state->round_no - 1);
    uint64_t divisor = 2;
    if (readings->guard == FF_SUSS_GUARD_HALVES) {
        rest_us /= 2; /* [suss.guard.halves] */
        blue_train_us /= 2;
        divisor = 1;
    }
    if (rest_us <= blue_train_us) {
        return false; /* [suss.guard.none] */
    }
    uint64_t guard_us = (rest_us - blue_train_us) / divisor;
    state->start_ns = ff_min(t_ns + guard_us * US_NS, FF_TIME_MAX_NS); /* [suss.guard] */
    return true;
}

/* Speed the round up at the tail of its blue ACKs; return the outcome, or the reason for not speeding it up. */
static enum ff_outcome end_train(const struct ff_suss_readings *readings, struct ff_suss *state, const struct ff_base_state *base,
                                 uint64_t t_ns, const struct ff_ack *ack)
{
    state->part = FF_SUSS_PART_TAIL;
    state->tail_packet = state->head_packet + blue_packets(state) - 1; /* [suss.round.tail] */
    if (!state->growing || state->round_no > FF_SUSS_LAST_ROUND) {
        state->growing = false; /* [suss.later.last] */
        return FF_OUTCOME_SUSS_CLOCKED;
    }
    uint64_t blue_train_us = train_us(state, t_ns);
    if (blue_train_us == FF_NONE || !goes_on(state, blue_train_us)) {
        state->growing = false; /* [suss.ends] */
        return state->mode == FF_SUSS_MODE_DISABLED ? FF_OUTCOME_SUSS_DISABLED : FF_OUTCOME_SUSS_CLOCKED;
    }
    set_limit(readings, state, base, ack->bytes);
    state->train_us = blue_train_us;
    if (!set_guard(readings, state, t_ns, blue_train_us)) {
        return FF_OUTCOME_SUSS_CLOCKED;
    }
    state->mode = FF_SUSS_MODE_PACED;
    state->jumps++;
    return FF_OUTCOME_SUSS_PACED;
}

enum ff_outcome ff_suss_follow_rounds(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                                      uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t last = ack->packets[ack->run_count - 1].last;
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;

    if (state->part == FF_SUSS_PART_TAIL) {
        state->part = FF_SUSS_PART_RED;
    }
    if (last >= state->head_packet) {
        begin_round(state, t_ns, ack);
    }
    if (last >= state->tail_packet) {
        outcome = end_train(readings, state, base, t_ns, ack);
    }
    if (state->part != FF_SUSS_PART_RED) {
        for (size_t i = 0; i < ack->run_count; i++) {
            uint64_t packets = state->blue_packets + ff_run_count(&ack->packets[i]);
            state->blue_packets = ff_min(packets, FF_SUSS_BLUE_MAX); /* [suss.round.count] */
        }
    } else if (state->mode == FF_SUSS_MODE_PACED) {
        base->cwnd_bytes -= ff_min(ack->bytes, base->cwnd_bytes); /* [suss.red.no-growth] */
    }
    return outcome;
}
