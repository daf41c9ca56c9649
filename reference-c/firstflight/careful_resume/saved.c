/* Saved sets. Mirrors reference-py/src/firstflight/careful_resume/saved.py. */
#include "firstflight/careful_resume/saved.h"

#include "firstflight/minmax.h"

bool ff_careful_resume_expired(const struct ff_saved_path *offer, uint64_t now_ns)
{
    return offer->expires_t_ns != FF_NONE && now_ns > offer->expires_t_ns;
}

enum ff_outcome ff_careful_resume_on_saved_path(struct ff_careful_resume *state, uint64_t t_ns,
                                                const struct ff_saved_path *offer)
{
    if (state->used.saved_cwnd_bytes != 0) {
        return FF_OUTCOME_ALREADY_USED; /* [careful-resume.saved.one-use] */
    }
    if (offer->saved_cwnd_bytes == 0 || offer->saved_rtt_ns == 0) {
        return FF_OUTCOME_SAVED_SET_ABSENT; /* [careful-resume.saved.absent] */
    }
    if (offer->in_use) {
        return FF_OUTCOME_SAVED_SET_IN_USE; /* [careful-resume.saved.in-use] */
    }
    if (!offer->endpoint_matches) {
        return FF_OUTCOME_ENDPOINT_MISMATCH; /* [careful-resume.saved.endpoint] */
    }
    if (ff_careful_resume_expired(offer, t_ns)) {
        state->saved = (struct ff_careful_resume_saved_set){0, 0, false}; /* [careful-resume.saved.lifetime] */
        return FF_OUTCOME_LIFETIME_EXCEEDED;
    }
    state->phase = FF_PHASE_RECONNAISSANCE; /* [careful-resume.reconnaissance.begin] */
    state->used = *offer;
    state->saved = (struct ff_careful_resume_saved_set){offer->saved_cwnd_bytes, offer->saved_rtt_ns, true};
    uint64_t first = state->marks.sent == FF_NO_PACKET ? 0 : state->marks.sent + 1;
    state->initial = (struct ff_careful_resume_initial){first, FF_NO_PACKET, 0};
    state->rtt.phase_first_ns = FF_NO_RTT_NS;
    state->rtt.phase_minimum_ns = FF_NO_RTT_NS;
    return FF_OUTCOME_RESUMING;
}

/* Begin a round with this ACK. The round ends with the first ACK of a packet that has not been sent yet. */
static void begin_round(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    uint64_t next_first = ff_careful_resume_highest(state->marks.sent, ack->packets[ack->run_count - 1].last) + 1;

    state->round_trip = (struct ff_careful_resume_round){next_first, ack->bytes, ack->app_limited};
}

/* Save the capacity measured in the round that ends. */
static void save(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                 const struct ff_base_state *base, const struct ff_ack *ack)
{
    if (ack->min_rtt_ns == FF_NO_RTT_NS || ack->min_rtt_ns == 0) {
        return; /* a set needs an RTT */
    }
    uint64_t measured_bytes = state->round_trip.bytes; /* [careful-resume.observe.capacity] */
    if (readings->observed == FF_CAREFUL_RESUME_OBSERVED_WINDOW) {
        measured_bytes = base->cwnd_bytes;
    } else if (ff_newreno_phase(base) == FF_PHASE_SLOW_START) {
        measured_bytes = ff_min(measured_bytes, base->cwnd_bytes / 2); /* [careful-resume.observe.overshoot] */
    }
    /* Windows are below 2^62. */
    if (measured_bytes < 4 * state->initial_window_bytes) {
        return; /* [careful-resume.observe.small] */
    }
    if (state->round_trip.limited && state->saved.cwnd_bytes != 0) {
        measured_bytes = ff_max(measured_bytes, state->saved.cwnd_bytes); /* [careful-resume.observe.rate-limited] */
    }
    state->saved.cwnd_bytes = measured_bytes; /* [careful-resume.observe.replace] */
    state->saved.rtt_ns = ack->min_rtt_ns;
    state->saved.in_use = false;
}

void ff_careful_resume_measure(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                               const struct ff_base_state *base, const struct ff_ack *ack)
{
    struct ff_careful_resume_round *current = &state->round_trip;

    if (current->next_first == FF_NO_PACKET) {
        begin_round(state, ack); /* [careful-resume.observe.after] */
        return;
    }
    if (ack->packets[ack->run_count - 1].last < current->next_first) {
        current->bytes = ff_careful_resume_saturated(current->bytes + ack->bytes);
        current->limited = current->limited || ack->app_limited;
        return;
    }
    save(readings, state, base, ack);
    begin_round(state, ack); /* [careful-resume.observe.round] */
}
