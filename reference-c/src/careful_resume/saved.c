/* Saved sets. Mirrors reference-py/src/firstflight/careful_resume_saved.py. */
#include "firstflight/careful_resume/saved.h"

enum ff_outcome ff_resume_on_saved_path(const struct ff_careful_resume_readings *readings,
                                        struct ff_careful_resume *state, uint64_t t_ns,
                                        const struct ff_saved_path *offer)
{
    if (state->used.saved_cwnd_bytes != 0) {
        return FF_OUTCOME_ALREADY_USED; /* [careful-resume.saved.one-use] */
    }
    if (offer->saved_cwnd_bytes == 0 || offer->saved_rtt_ns == 0) {
        return FF_OUTCOME_SAVED_SET_ABSENT; /* [careful-resume.saved.absent] */
    }
    if (offer->in_use && readings->use_lock == FF_CAREFUL_RESUME_USE_LOCK_CHECKED) {
        return FF_OUTCOME_SAVED_SET_IN_USE; /* [careful-resume.saved.in-use] */
    }
    if (!offer->endpoint_matches && readings->endpoint == FF_CAREFUL_RESUME_ENDPOINT_CHECKED) {
        return FF_OUTCOME_ENDPOINT_MISMATCH; /* [careful-resume.saved.endpoint] */
    }
    if (readings->lifetime != FF_CAREFUL_RESUME_LIFETIME_IGNORED && ff_resume_expired(offer, t_ns)) {
        state->saved = (struct ff_saved_set){0, 0, false}; /* [careful-resume.saved.lifetime] */
        return FF_OUTCOME_LIFETIME_EXCEEDED;
    }
    state->phase = FF_PHASE_RECONNAISSANCE; /* [careful-resume.reconnaissance.begin] */
    state->used = *offer;
    state->saved = (struct ff_saved_set){offer->saved_cwnd_bytes, offer->saved_rtt_ns, true};
    state->initial = (struct ff_resume_initial){0, FF_NO_PACKET, 0, 0};
    state->initial.first = state->marks.sent == FF_NO_PACKET ? 0 : state->marks.sent + 1;
    state->rtt.phase_first_ns = FF_NO_RTT_NS;
    state->rtt.phase_minimum_ns = FF_NO_RTT_NS;
    return FF_OUTCOME_RESUMING;
}

bool ff_resume_expired(const struct ff_saved_path *offer, uint64_t now_ns)
{
    return offer->expires_t_ns != FF_NONE && now_ns > offer->expires_t_ns;
}

/* Begin the round of this ACK; it ends with the ACK of a packet that is yet to be sent. */
static void begin_round(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    uint64_t highest = ack->packets[ack->run_count - 1].last;

    if (state->marks.sent != FF_NO_PACKET && state->marks.sent > highest) {
        highest = state->marks.sent;
    }
    state->round_trip = (struct ff_resume_round){highest + 1, ack->bytes, ack->app_limited};
}

/* Save what the round that ends has shown. */
static void save(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                 const struct ff_newreno *base, const struct ff_ack *ack)
{
    if (ack->min_rtt_ns == FF_NO_RTT_NS || ack->min_rtt_ns == 0) {
        return; /* a set without an RTT is none */
    }
    uint64_t measured_bytes = state->round_trip.bytes; /* [careful-resume.observe.capacity] */
    if (readings->observed == FF_CAREFUL_RESUME_OBSERVED_WINDOW) {
        measured_bytes = base->cwnd_bytes;
    } else if (ff_newreno_phase(base) == FF_PHASE_SLOW_START) {
        uint64_t half_bytes = base->cwnd_bytes / 2; /* [careful-resume.observe.overshoot] */
        measured_bytes = measured_bytes < half_bytes ? measured_bytes : half_bytes;
    }
    /* Windows are below 2^62. */
    if (measured_bytes < 4 * state->initial_window_bytes) {
        return; /* [careful-resume.observe.small] */
    }
    if (state->round_trip.limited && state->saved.cwnd_bytes != 0) {
        uint64_t before_bytes = state->saved.cwnd_bytes; /* [careful-resume.observe.rate-limited] */
        measured_bytes = measured_bytes > before_bytes ? measured_bytes : before_bytes;
    }
    state->saved = (struct ff_saved_set){measured_bytes, ack->min_rtt_ns, false}; /* [careful-resume.observe.replace] */
}

void ff_resume_observe(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                       const struct ff_newreno *base, const struct ff_ack *ack)
{
    if (state->round_trip.next_first == FF_NO_PACKET) {
        begin_round(state, ack); /* [careful-resume.observe.after] */
        return;
    }
    if (ack->packets[ack->run_count - 1].last < state->round_trip.next_first) {
        state->round_trip.bytes = ff_resume_saturated(state->round_trip.bytes, ack->bytes);
        state->round_trip.limited = state->round_trip.limited || ack->app_limited;
        return;
    }
    save(readings, state, base, ack);
    begin_round(state, ack);
}
