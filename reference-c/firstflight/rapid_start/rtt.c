/* Detection of a queue. Mirrors reference-py/src/firstflight/rapid_start/rtt.py. */
#include "firstflight/rapid_start/rtt.h"

#include "firstflight/minmax.h"

/* Drop old slots until the first slot covers t_ns. It ends at most min_rtt / 4 after t_ns: below 2^60. */
static void move_slots(struct ff_rapid_start *state, uint64_t t_ns, uint64_t min_rtt_ns)
{
    if (t_ns < state->slot_end_ns) {
        return;
    }
    uint64_t width_ns = ff_max(min_rtt_ns / FF_RAPID_START_SLOTS, 1); /* [rapid-start.floor.quarters] */
    uint64_t distance = (t_ns - state->slot_end_ns) / width_ns + 1;
    state->slot_end_ns += distance * width_ns;
    for (uint64_t slot = FF_RAPID_START_SLOTS; slot-- > 0;) {
        state->slots_ns[slot] = slot >= distance ? state->slots_ns[slot - distance] : FF_NO_RTT_NS;
    }
}

void ff_rapid_start_sample(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state, uint64_t t_ns,
                           const struct ff_ack *ack)
{
    bool by_round = readings->rtt_floor == FF_RAPID_START_RTT_FLOOR_ROUND;

    if (ack->app_limited && readings->rtt_floor == FF_RAPID_START_RTT_FLOOR_QUARTERS_USED) {
        return; /* [rapid-start.floor.used] */
    }
    if (by_round && ack->packets[ack->run_count - 1].last >= state->round_end_packet) {
        state->round_end_packet = ack->next_packet;
        state->round_min_ns = FF_NO_RTT_NS; /* [rapid-start.floor.round] */
    }
    if (ack->min_rtt_ns != FF_NO_RTT_NS) {
        state->min_rtt_ns = ack->min_rtt_ns; /* [rapid-start.min-rtt] */
        if (readings->tiny_rtt == FF_RAPID_START_TINY_RTT_ORDINARY && ack->min_rtt_ns < FF_RAPID_START_TINY_NS) {
            state->stage = FF_RAPID_START_STAGE_OVER; /* [rapid-start.tiny] */
        }
    }
    if (ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return;
    }
    if (by_round) {
        state->round_min_ns = ff_min(state->round_min_ns, ack->latest_rtt_ns);
    } else if (state->min_rtt_ns != FF_NO_RTT_NS) {
        move_slots(state, t_ns, state->min_rtt_ns);
        state->slots_ns[0] = ff_min(state->slots_ns[0], ack->latest_rtt_ns);
    }
}

/* Compares rises above min_rtt in integers, without rounding. RTTs are below 2^59: 32 times an RTT is below 2^64. */
bool ff_rapid_start_no_queue(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state)
{
    uint64_t smallest_ns = ff_rapid_start_floor_ns(readings, state);

    if (smallest_ns == FF_NO_RTT_NS || state->min_rtt_ns == FF_NO_RTT_NS) {
        return false; /* [rapid-start.floor.none] */
    }
    uint64_t rise_ns = ff_max(smallest_ns, state->min_rtt_ns) - state->min_rtt_ns;
    if (readings->queue_threshold == FF_RAPID_START_QUEUE_THRESHOLD_LARGER) {
        return rise_ns <= FF_RAPID_START_RISE_NS || 32 * rise_ns <= 3 * state->min_rtt_ns; /* [rapid-start.threshold.larger] */
    }
    return rise_ns <= FF_RAPID_START_RISE_NS && 10 * rise_ns <= state->min_rtt_ns; /* [rapid-start.threshold] */
}
