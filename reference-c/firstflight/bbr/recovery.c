/* The response to losses, marks and timeouts. Mirrors reference-py/src/firstflight/bbr/recovery.py. */
#include "firstflight/bbr/recovery.h"

#include "firstflight/bbr/startup.h"
#include "firstflight/minmax.h"

static void save_cwnd(struct ff_bbr *state, const struct ff_base_state *base)
{
    if (base->in_recovery) {
        state->prior_cwnd_bytes = ff_max(state->prior_cwnd_bytes, base->cwnd_bytes); /* [bbr.saved.recovery] */
    } else {
        state->prior_cwnd_bytes = base->cwnd_bytes; /* [bbr.saved.cwnd] */
    }
}

static void restore_cwnd(const struct ff_bbr *state, struct ff_base_state *base)
{
    base->cwnd_bytes = ff_max(base->cwnd_bytes, state->prior_cwnd_bytes); /* [bbr.restored.cwnd] */
}

static void save_state_upon_loss(struct ff_bbr *state, const struct ff_base_state *base)
{
    save_cwnd(state, base);
    state->undo_startup = false; /* [bbr.saved] */
    state->undo_bw_shortterm = state->bw_shortterm;
    state->undo_inflight_shortterm_bytes = state->inflight_shortterm_bytes;
    state->undo_inflight_longterm_bytes = state->inflight_longterm_bytes;
}

static enum ff_outcome note_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                 const struct ff_base_state *base)
{
    bool first = !state->is_loss_in_round;

    if (first) {
        state->loss_round_delivered_bytes = state->delivered_bytes; /* [bbr.loss-round.begins] */
        if (readings->saved == FF_BBR_SAVED_ROUNDS) {
            save_state_upon_loss(state, base); /* [bbr.saved.rounds] */
        }
    }
    state->is_loss_in_round = true;
    return first ? FF_OUTCOME_LOSS_NOTED : FF_OUTCOME_ALREADY_NOTED;
}

static void enter_recovery(struct ff_bbr *state, struct ff_base_state *base, uint64_t now_ns, uint64_t sent_t_ns)
{
    if (ff_newreno_sent_before_recovery(base, sent_t_ns)) {
        return; /* [bbr.recovery.once] */
    }
    if (!base->in_recovery) {
        save_state_upon_loss(state, base); /* [bbr.recovery.begin] */
        state->recovery_delivered_bytes = state->delivered_bytes;
        base->in_recovery = true;
    }
    base->recovery_start_ns = now_ns; /* [bbr.recovery.goes-on] */
}

static void count_ranges(struct ff_bbr *state, const struct ff_lost *lost)
{
    for (size_t i = 0; i < lost->run_count; i++) {
        if (lost->packets[i].first != state->next_lost_packet || state->lost_ranges == 0) {
            state->lost_ranges++; /* [bbr.loss-exit.separate] */
        }
        state->next_lost_packet = lost->packets[i].last + 1;
    }
}

static enum ff_outcome note_recovery(struct ff_bbr *state, bool begun)
{
    state->conservation_due = state->conservation_due || begun;
    return begun ? FF_OUTCOME_LOSS_NOTED : FF_OUTCOME_ALREADY_NOTED;
}

enum ff_outcome ff_bbr_on_lost(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                               uint64_t t_ns, const struct ff_lost *lost)
{
    uint64_t latest_sent_t_ns = 0;
    bool was_in_recovery = base->in_recovery;

    state->in_flight_bytes = ff_bbr_saturate(lost->bytes_in_flight);
    if (lost->pmtu_probe) {
        return FF_OUTCOME_UNCHANGED; /* [slow-start.loss.pmtu-probe] */
    }
    for (size_t i = 0; i < lost->run_count; i++) {
        latest_sent_t_ns = ff_max(latest_sent_t_ns, lost->packets[i].sent_t_ns);
    }
    enter_recovery(state, base, t_ns, latest_sent_t_ns);
    count_ranges(state, lost);
    state->newly_lost_bytes = ff_bbr_saturate(state->newly_lost_bytes + lost->bytes);
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION) {
        return note_recovery(state, base->in_recovery && !was_in_recovery);
    }
    return note_loss(readings, state, base);
}

enum ff_outcome ff_bbr_on_ce(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                             uint64_t t_ns, const struct ff_ce *ce)
{
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION || readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        return FF_OUTCOME_UNCHANGED; /* [bbr.conservation.marks] */
    }
    enter_recovery(state, base, t_ns, ce->sent_t_ns); /* [bbr.ecn] */
    return note_loss(readings, state, base); /* [bbr.ecn.loss] */
}

static void forget_losses(struct ff_bbr *state)
{
    state->newly_lost_bytes = 0;
    state->conservation_due = false;
}

static void collapse_linux(struct ff_bbr *state, const struct ff_base_state *base)
{
    ff_bbr_reset_full_bw(state); /* [bbr.timeout.v3] */
    if (state->phase != FF_PHASE_STARTUP && state->inflight_shortterm_bytes == FF_BBR_INFINITE) {
        state->inflight_shortterm_bytes = ff_max(base->cwnd_bytes, state->prior_cwnd_bytes); /* [bbr.timeout.v3.short-term] */
    }
}

static bool saves_at_timeout(const struct ff_bbr_readings *readings, const struct ff_base_state *base)
{
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION || readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        return !base->in_recovery; /* [bbr.timeout.linux] */
    }
    return true;
}

enum ff_outcome ff_bbr_on_enter_rto(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                    struct ff_base_state *base, uint64_t t_ns)
{
    if (saves_at_timeout(readings, base)) {
        save_state_upon_loss(state, base);
    }
    base->cwnd_bytes = ff_bbr_saturate(state->in_flight_bytes + base->max_datagram_size_bytes); /* [bbr.timeout] */
    base->in_recovery = true;
    base->recovery_start_ns = t_ns;
    state->timeout = true;
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION) {
        state->full_bw = ff_bbr_rate_zero; /* [bbr.conservation.timeout] */
        forget_losses(state);
    }
    if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        collapse_linux(state, base);
        forget_losses(state);
    }
    return FF_OUTCOME_COLLAPSED;
}

void ff_bbr_deduct_losses(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base)
{
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION && state->newly_lost_bytes > 0) {
        uint64_t left_bytes = base->cwnd_bytes - ff_min(base->cwnd_bytes, state->newly_lost_bytes);
        base->cwnd_bytes = ff_max(left_bytes, base->max_datagram_size_bytes); /* [bbr.conservation.lost] */
    }
    state->newly_lost_bytes = 0;
}

static bool ends_recovery(const struct ff_base_state *base, const struct ff_ack *ack)
{
    for (size_t i = 0; base->in_recovery && i < ack->run_count; i++) {
        if (!ff_newreno_sent_before_recovery(base, ack->packets[i].sent_t_ns)) {
            return true;
        }
    }
    return false;
}

void ff_bbr_leave_recovery_first(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                                 const struct ff_ack *ack)
{
    if (readings->losses != FF_BBR_LOSSES_LINUX_V3 || !ends_recovery(base, ack)) {
        return;
    }
    if (state->timeout) {
        restore_cwnd(state, base); /* [bbr.recovery.v3] */
        state->window_reached = false;
    }
    base->in_recovery = false; /* [bbr.recovery.v3.first] */
    state->timeout = false;
}

void ff_bbr_leave_recovery(struct ff_bbr *state, struct ff_base_state *base, const struct ff_ack *ack)
{
    if (ends_recovery(base, ack)) {
        base->in_recovery = false; /* [bbr.recovery.end] */
        state->timeout = false;
        state->conservation_due = state->packet_conservation = false;
        restore_cwnd(state, base);
    }
}

void ff_bbr_begin_conservation(struct ff_bbr *state, struct ff_base_state *base, const struct ff_ack *ack)
{
    if (state->conservation_due) {
        state->conservation_due = false;
        state->packet_conservation = true;
        state->next_round_delivered_bytes = state->delivered_bytes;
        base->cwnd_bytes = ff_bbr_saturate(state->in_flight_bytes + ack->bytes); /* [bbr.conservation.begin] */
    }
}

static void undo_cwnd(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base)
{
    if (readings->losses != FF_BBR_LOSSES_LINUX_V3) {
        restore_cwnd(state, base);
    } else if (state->prior_cwnd_bytes > 0) {
        base->cwnd_bytes = state->prior_cwnd_bytes; /* [bbr.undo.v3] */
    }
    state->window_reached = false;
}

enum ff_outcome ff_bbr_handle_spurious_loss_detection(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                                      struct ff_base_state *base)
{
    undo_cwnd(readings, state, base);
    base->in_recovery = false;
    state->timeout = false;
    state->is_loss_in_round = false;
    ff_bbr_reset_full_bw(state);
    if (readings->losses == FF_BBR_LOSSES_CONSERVATION) {
        state->full_bw_now = state->full_bw_reached; /* [bbr.conservation.undo] */
        state->packet_conservation = false;
    }
    forget_losses(state);
    state->bw_shortterm = ff_bbr_larger(state->bw_shortterm, state->undo_bw_shortterm); /* [bbr.undo] */
    state->inflight_shortterm_bytes =
        ff_bbr_larger_bound(state->inflight_shortterm_bytes, state->undo_inflight_shortterm_bytes);
    state->inflight_longterm_bytes =
        ff_bbr_larger_bound(state->inflight_longterm_bytes, state->undo_inflight_longterm_bytes);
    bool resumes = state->undo_startup && state->phase != FF_PHASE_STARTUP;
    if (resumes) {
        state->full_bw_reached = false; /* [bbr.undo.startup] */
        ff_bbr_enter_startup(readings, state);
    }
    state->undo_startup = false;
    return resumes ? FF_OUTCOME_STARTUP_RESUMED : FF_OUTCOME_RESTORED;
}
