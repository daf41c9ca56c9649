/* JumpStart: the flow of an event. Mirrors reference-py/src/firstflight/jumpstart/jumpstart.py. */
#include "firstflight/jumpstart/jumpstart.h"

#include "firstflight/jumpstart/loss.h"
#include "firstflight/jumpstart/pacing.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"

void ff_jumpstart_begin(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                        const struct ff_base_state *base)
{
    (void)readings;
    *state = (struct ff_jumpstart){
        .initial_window_bytes = base->cwnd_bytes,
        .flight_first = FF_NO_PACKET,
        .flight_end = FF_NO_PACKET,
        .smoothed_rtt_ns = FF_NO_RTT_NS,
    };
}

static void enter(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state, struct ff_base_state *base,
                  uint64_t flight_bytes)
{
    uint64_t packets = ff_jumpstart_packets_of(flight_bytes, base->max_datagram_size_bytes);
    uint64_t window_bytes = flight_bytes; /* [jumpstart.start.window] [jumpstart.start.cwnd] */

    if (readings->amount == FF_JUMPSTART_AMOUNT_CAP) {
        packets = flight_bytes / base->max_datagram_size_bytes; /* [jumpstart.flight.whole-packets] */
    }
    state->jumping = true;
    state->spent = true;
    state->amount_bytes = flight_bytes;
    state->planned_packets = packets;
    state->packet_bytes = base->max_datagram_size_bytes; /* a later datagram size does not change the schedule */
    state->limit_packets = packets;
    state->sent_packets = 0;
    state->flight_first = state->flight_end = state->next_packet;
    state->acked_bytes = 0;
    if (readings->window_on_entry == FF_JUMPSTART_WINDOW_ON_ENTRY_LARGER) {
        window_bytes = ff_max(flight_bytes, base->cwnd_bytes); /* [jumpstart.start.larger-window] */
    }
    base->cwnd_bytes = window_bytes;
    if (readings->threshold_on_entry == FF_JUMPSTART_THRESHOLD_ON_ENTRY_WINDOW) {
        base->ssthresh_bytes = window_bytes; /* [jumpstart.start.threshold] */
    }
}

static void end_if_sent(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state)
{
    if (readings->ends != FF_JUMPSTART_ENDS_ACK && state->sent_packets >= state->limit_packets) {
        state->jumping = false; /* [jumpstart.end.sent] */
    }
}

/* Process a write or a window update while the flight is being sent. */
static enum ff_outcome on_later_backlog(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                        const struct ff_base_state *base, const struct ff_backlog *backlog)
{
    uint64_t packet_bytes = base->max_datagram_size_bytes;
    uint64_t allowed_bytes = ff_jumpstart_receive_window_bytes(readings, packet_bytes, backlog);

    if (allowed_bytes != FF_NONE) {
        uint64_t limit_packets = state->sent_packets + ff_jumpstart_packets_of(allowed_bytes, packet_bytes);
        if (limit_packets < state->limit_packets) {
            state->limit_packets = limit_packets; /* [jumpstart.flight.window-shrinks] */
            end_if_sent(readings, state);
            return FF_OUTCOME_JUMP_CHANGED;
        }
    }
    return FF_OUTCOME_JUMP_KEPT; /* [jumpstart.flight.frozen] */
}

/* Jump, or return the reason for not jumping. */
static enum ff_outcome on_backlog(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                  struct ff_base_state *base, uint64_t t_ns, const struct ff_backlog *backlog)
{
    if (state->jumping) {
        return on_later_backlog(readings, state, base, backlog);
    }
    if (state->spent) {
        return FF_OUTCOME_JUMP_SPENT; /* [jumpstart.start.once] */
    }
    if (base->in_recovery ||
        (state->reduced && readings->entry_after_loss == FF_JUMPSTART_ENTRY_AFTER_LOSS_NEVER)) {
        return FF_OUTCOME_JUMP_BARRED; /* [jumpstart.start.barred] */
    }
    uint64_t spread_ns = ff_jumpstart_rtt_ns(readings, state, backlog);
    if (spread_ns == FF_NO_RTT_NS) {
        return FF_OUTCOME_NO_RTT_SAMPLE; /* [jumpstart.start.no-rtt] */
    }
    uint64_t flight_bytes = ff_jumpstart_amount_bytes(readings, base->max_datagram_size_bytes, backlog, spread_ns);
    if (flight_bytes == 0) {
        return FF_OUTCOME_NOTHING_TO_JUMP; /* [jumpstart.start.nothing] */
    }
    uint64_t usual_bytes = base->cwnd_bytes + state->in_flight_bytes;
    if (readings->small_amount == FF_JUMPSTART_SMALL_AMOUNT_NOT_ENTERED && flight_bytes <= usual_bytes) {
        state->spent = true; /* [jumpstart.start.too-small] */
        return FF_OUTCOME_JUMP_TOO_SMALL;
    }
    state->start_ns = t_ns;
    state->rtt_ns = spread_ns;
    state->at_once = ff_jumpstart_sent_at_once(readings, flight_bytes);
    enter(readings, state, base, flight_bytes);
    return FF_OUTCOME_JUMP_BEGUN;
}

static enum ff_outcome on_sent(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                               struct ff_base_state *base, uint64_t t_ns, const struct ff_sent *sent)
{
    (void)ff_newreno_on_sent(base, t_ns, sent);
    ff_jumpstart_count_repeats(readings, state, base, sent);
    state->next_packet = sent->packets[sent->run_count - 1].last + 1;
    ff_jumpstart_set_in_flight(state, sent->bytes_in_flight);
    state->window_full = state->in_flight_bytes + base->max_datagram_size_bytes > base->cwnd_bytes;
    if (!state->jumping) {
        return FF_OUTCOME_SENT;
    }
    ff_jumpstart_add_to_flight(readings, state, sent->packets, sent->run_count);
    end_if_sent(readings, state);
    return state->jumping ? FF_OUTCOME_SENT : FF_OUTCOME_JUMP_SENT;
}

static void after_ack(struct ff_jumpstart *state, const struct ff_ack *ack)
{
    ff_jumpstart_set_in_flight(state, ack->bytes_in_flight);
    if (ack->smoothed_rtt_ns != FF_NO_RTT_NS) {
        state->smoothed_rtt_ns = ack->smoothed_rtt_ns;
    }
}

/* End the jump if this ACK ends it; return whether it did. in_flight_bytes is still the value before the ACK. */
static bool end_by_ack(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state, struct ff_base_state *base,
                       const struct ff_ack *ack)
{
    if (!state->jumping || readings->ends == FF_JUMPSTART_ENDS_SENT) {
        return false;
    }
    if (readings->ending_ack == FF_JUMPSTART_ENDING_ACK_FLIGHT &&
        ack->packets[ack->run_count - 1].last < state->flight_first) {
        return false; /* [jumpstart.end.other-ack] */
    }
    state->jumping = false; /* [jumpstart.end.ack] [jumpstart.end.flight-ack] */
    if (readings->early_ack_window == FF_JUMPSTART_EARLY_ACK_WINDOW_IN_FLIGHT) {
        base->cwnd_bytes = state->in_flight_bytes; /* [jumpstart.end.in-flight] */
    }
    return true;
}

static enum ff_outcome grow_one_in_twenty(struct ff_jumpstart *state, struct ff_base_state *base, uint64_t new_packets)
{
    state->counted_packets = ff_min(state->counted_packets + new_packets, FF_PACKET_MAX);
    if (state->counted_packets >= FF_JUMPSTART_GROWTH_PACKETS) {
        state->counted_packets -= FF_JUMPSTART_GROWTH_PACKETS; /* [jumpstart.growth.one-in-twenty] */
        base->cwnd_bytes = ff_min(base->cwnd_bytes + base->max_datagram_size_bytes, FF_WINDOW_MAX_BYTES);
    }
    return FF_OUTCOME_GROWN_AVOIDANCE;
}

/* Grow the window by the reading; the base controller processes app-limited ACKs and old packets. */
static enum ff_outcome grow(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                            struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    enum ff_phase phase = ff_newreno_phase(base);
    uint64_t new_packets = 0;

    for (size_t i = 0; i < ack->run_count; i++) {
        if (!ff_newreno_sent_before_recovery(base, ack->packets[i].sent_t_ns)) {
            new_packets += ff_run_count(&ack->packets[i]);
        }
    }
    if (new_packets > 0 && !ack->app_limited) {
        if (readings->growth == FF_JUMPSTART_GROWTH_ACKS && phase == FF_PHASE_SLOW_START) {
            uint64_t grown_bytes = base->cwnd_bytes + base->max_datagram_size_bytes;
            base->cwnd_bytes = ff_min(grown_bytes, FF_WINDOW_MAX_BYTES); /* [jumpstart.growth.acks] */
            return FF_OUTCOME_GROWN;
        }
        if (readings->growth == FF_JUMPSTART_GROWTH_ONE_IN_TWENTY && !state->window_full) {
            return FF_OUTCOME_WINDOW_NOT_FULL; /* [jumpstart.growth.not-full] */
        }
        if (readings->growth == FF_JUMPSTART_GROWTH_ONE_IN_TWENTY && phase == FF_PHASE_CONGESTION_AVOIDANCE) {
            return grow_one_in_twenty(state, base, new_packets);
        }
    }
    return ff_newreno_on_ack(base, t_ns, ack); /* [jumpstart.growth] */
}

static enum ff_outcome on_ack(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                              struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    const struct ff_run *last = &ack->packets[ack->run_count - 1];

    ff_jumpstart_count_acked(readings, state, ack);
    if (ff_newreno_sent_before_recovery(base, last->sent_t_ns) &&
        ff_jumpstart_raise_to_share(readings, state, base, last)) {
        after_ack(state, ack);
        return FF_OUTCOME_RAISED_IN_RECOVERY;
    }
    bool ended = end_by_ack(readings, state, base, ack);
    after_ack(state, ack);
    if (base->in_recovery) {
        if (!ff_jumpstart_recovery_ended(readings, state, base, ack)) {
            return FF_OUTCOME_IN_RECOVERY;
        }
        base->in_recovery = false;
        if (state->accounting) {
            ff_jumpstart_account(readings, state, base); /* [jumpstart.account] [jumpstart.account.no-growth] */
            if (readings->ending_growth == FF_JUMPSTART_ENDING_GROWTH_NONE) {
                return FF_OUTCOME_JUMP_ACCOUNTED;
            }
        }
    }
    enum ff_outcome outcome = grow(readings, state, base, t_ns, ack);
    return ended ? FF_OUTCOME_JUMP_ENDED : outcome;
}

static enum ff_outcome on_idle_restart(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                       const struct ff_base_state *base)
{
    if (readings->repeat == FF_JUMPSTART_REPEAT_ONCE || state->jumping || base->in_recovery) {
        return FF_OUTCOME_UNCHANGED;
    }
    state->spent = false; /* [jumpstart.start.after-idle] */
    state->accounted = false;
    state->accounting = false;
    return FF_OUTCOME_JUMP_REARMED;
}

static enum ff_outcome on_event(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_BACKLOG:
        return on_backlog(readings, state, base, event->t_ns, &event->backlog);
    case FF_EVENT_SENT:
        return on_sent(readings, state, base, event->t_ns, &event->sent);
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    case FF_EVENT_LOST:
        return ff_jumpstart_on_lost(readings, state, base, event->t_ns, &event->lost);
    case FF_EVENT_CE:
        return ff_jumpstart_on_ce(readings, state, base, event->t_ns, &event->ce);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_jumpstart_on_timeout(readings, state, base);
    case FF_EVENT_IDLE_RESTART:
        return on_idle_restart(readings, state, base);
    case FF_EVENT_PTO:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_DATAGRAM_SIZE:
    case FF_EVENT_PATH_CHANGE:
    case FF_EVENT_SPURIOUS_LOSS:
        break;
    }
    return ff_newreno_on_event(base, event);
}

static void observe(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                    const struct ff_base_state *base, enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    if (state->jumping) {
        observation->phase = FF_PHASE_JUMP;
    }
    observation->next_release_ns = ff_jumpstart_next_release_ns(readings, state, state->packet_bytes);
    observation->recovery_start_ns = base->recovery_start_ns;
    observation->planned_packets = state->planned_packets;
    observation->sent_packets = state->sent_packets;
    observation->repeated_packets = state->repeats;
    observation->acked_bytes = state->acked_bytes;
}

void ff_jumpstart_step(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                       struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(readings, state, base, outcome, observation);
    }
}
