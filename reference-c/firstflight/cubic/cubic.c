/* The window rules of CUBIC. Mirrors reference-py/src/firstflight/cubic/cubic.py. */
#include "firstflight/cubic/cubic.h"

#include "firstflight/cubic/window.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"

static void note_reduction(struct ff_cubic *state, uint64_t cwnd_bytes);

#define FRACTION_BITS 32
#define FRACTION_MASK UINT64_C(0xFFFFFFFF)

void ff_cubic_begin(struct ff_cubic *state, const struct ff_cubic_readings *readings)
{
    const struct ff_cubic_readings kept = *readings; /* `readings` may point into the state */

    *state = (struct ff_cubic){ /* [cubic.begin] */
        .readings = kept,
        .w_max_bytes = FF_NONE,
        .cwnd_prior_bytes = FF_NONE,
        .stopped_ns = FF_NONE,
        .epoch = {.begun = false},
        .saved = {.there = false},
    };
}

void ff_cubic_carry(struct ff_cubic *state, const struct ff_cubic_readings *readings)
{
    ff_cubic_begin(state, readings); /* [cubic.startup.compose] */
}

static uint64_t slow_start_end_bytes(const void *rules_state, uint64_t ssthresh_bytes)
{
    const struct ff_cubic *state = rules_state;

    if (state->readings.slow_start_end == FF_CUBIC_SLOW_START_END_ABOVE) {
        return ssthresh_bytes + 1; /* [cubic.slow-start.at-threshold] */
    }
    return ssthresh_bytes;
}

/* Store the bytes in flight; the number saturates like windows. */
static void set_flight(void *rules_state, uint64_t bytes_in_flight)
{
    struct ff_cubic *state = rules_state;

    state->flight_bytes = ff_min(bytes_in_flight, FF_WINDOW_MAX_BYTES);
}

/* Resume the clock; shift the stages by the time that did not count. */
static void resume(struct ff_cubic *state, uint64_t now_ns)
{
    if (state->stopped_ns == FF_NONE) {
        return;
    }
    uint64_t passed_ns = now_ns - state->stopped_ns;
    state->stopped_ns = FF_NONE;
    state->idle = false;
    if (state->epoch.begun) {
        state->epoch.start_ns += passed_ns; /* [cubic.limited.time] */
    }
    if (state->saved.there && state->saved.epoch.begun) {
        state->saved.epoch.start_ns += passed_ns; /* [cubic.spurious.limited] */
    }
}

/* Process packets being sent: an idle time ends. */
static void on_sent(void *rules_state, uint64_t t_ns, const struct ff_sent *sent)
{
    struct ff_cubic *state = rules_state;

    set_flight(state, sent->bytes_in_flight);
    if (state->idle) {
        resume(state, t_ns); /* [cubic.limited.idle] */
    }
}

/* Stop the clock, if there is a stage. */
static void stop(struct ff_cubic *state, uint64_t now_ns, bool idle)
{
    if (!state->epoch.begun && !state->saved.there) {
        return;
    }
    if (state->stopped_ns == FF_NONE) {
        state->stopped_ns = now_ns;
        state->idle = idle;
    } else {
        state->idle = state->idle && idle;
    }
}

/* Begin a stage, unless one exists and the window is unchanged since its last growth. */
static void continue_epoch(struct ff_cubic *state, uint64_t now_ns, uint64_t datagram_bytes, uint64_t cwnd_bytes)
{
    struct ff_cubic_epoch *epoch = &state->epoch;

    if (epoch->begun && epoch->cwnd_bytes == cwnd_bytes) {
        return;
    }
    state->epoch = (struct ff_cubic_epoch){.begun = false};
    epoch->begun = true;
    epoch->start_ns = now_ns; /* [cubic.epoch.begin] */
    if (state->w_max_bytes == FF_NONE) {
        state->w_max_bytes = cwnd_bytes; /* [cubic.epoch.no-maximum] */
    } else if (state->w_max_bytes < cwnd_bytes) {
        state->w_max_bytes = cwnd_bytes; /* [cubic.epoch.low-maximum] */
    }
    if (state->cwnd_prior_bytes == FF_NONE) {
        state->cwnd_prior_bytes = cwnd_bytes; /* [cubic.epoch.no-prior] */
    }
    epoch->k_ns = ff_cubic_cube_time_ns(state->w_max_bytes - cwnd_bytes, datagram_bytes); /* [cubic.k] */
    epoch->cwnd_bytes = cwnd_bytes;
    epoch->w_est_bytes = cwnd_bytes; /* [cubic.friendly.begin] */
}

/* Grow W_est as Reno grows. */
static void grow_estimate(struct ff_cubic *state, uint64_t datagram_bytes, uint64_t cwnd_bytes, uint64_t acked_bytes)
{
    struct ff_cubic_epoch *epoch = &state->epoch;
    bool reached = epoch->w_est_bytes >= state->cwnd_prior_bytes;
    uint64_t increase =
        ff_cubic_friendly_increase(datagram_bytes, acked_bytes, cwnd_bytes, reached); /* [cubic.friendly.estimate] */
    uint64_t fraction = epoch->w_est_fraction + (increase & FRACTION_MASK);

    epoch->w_est_bytes = ff_min(epoch->w_est_bytes + (increase >> FRACTION_BITS) + (fraction >> FRACTION_BITS),
                                 FF_WINDOW_MAX_BYTES);
    epoch->w_est_fraction = fraction & FRACTION_MASK;
}

/* Raise the window to W_est; never lower it. */
static void follow_estimate(struct ff_cubic_epoch *epoch)
{
    if (epoch->w_est_bytes <= epoch->cwnd_bytes) {
        return; /* [cubic.friendly.never-lowers] */
    }
    epoch->cwnd_bytes = epoch->w_est_bytes; /* [cubic.friendly.region] */
    epoch->cwnd_fraction = epoch->w_est_fraction;
}

/* Grow the window by its share of the distance to the target. */
static void approach(struct ff_cubic_epoch *epoch, uint64_t acked_bytes, uint64_t target_bytes)
{
    uint64_t cwnd_bytes = epoch->cwnd_bytes;
    uint64_t most_bytes = cwnd_bytes + cwnd_bytes / 2; /* below 2^63 */

    if (target_bytes > most_bytes) {
        target_bytes = most_bytes; /* [cubic.target.most] */
    }
    if (target_bytes <= cwnd_bytes) {
        return; /* [cubic.target.least] */
    }
    struct ff_cubic_bytes share = ff_cubic_share(acked_bytes, target_bytes - cwnd_bytes, cwnd_bytes); /* [cubic.grow.share] */
    uint64_t fraction = share.fraction + epoch->cwnd_fraction;
    epoch->cwnd_bytes = ff_min(cwnd_bytes + share.whole + (fraction >> FRACTION_BITS), FF_WINDOW_MAX_BYTES);
    epoch->cwnd_fraction = fraction & FRACTION_MASK; /* [cubic.grow.fraction] */
}

static uint64_t grow(struct ff_cubic *state, uint64_t t_ns, const struct ff_ack *ack, uint64_t datagram_bytes,
                     uint64_t cwnd_bytes, uint64_t acked_bytes)
{
    struct ff_cubic_epoch *epoch = &state->epoch;

    resume(state, t_ns);
    continue_epoch(state, t_ns, datagram_bytes, cwnd_bytes);
    uint64_t counted_bytes = ff_min(acked_bytes, cwnd_bytes); /* [cubic.grow.at-most-a-window] */
    grow_estimate(state, datagram_bytes, cwnd_bytes, counted_bytes);
    uint64_t elapsed_ns = t_ns - epoch->start_ns;
    if (ff_cubic_window_bytes(state->w_max_bytes, epoch->k_ns, datagram_bytes, elapsed_ns) < epoch->w_est_bytes) {
        follow_estimate(epoch);
    } else {
        uint64_t grown_for_bytes = counted_bytes; /* [cubic.grow] */
        if (state->readings.growth == FF_CUBIC_GROWTH_ACKS) {
            grown_for_bytes = ff_min(datagram_bytes, cwnd_bytes); /* [cubic.grow.per-ack] */
        }
        /* Two times: below 2^60. */
        uint64_t ahead_ns = elapsed_ns + (ack->smoothed_rtt_ns == FF_NO_RTT_NS ? 0 : ack->smoothed_rtt_ns);
        uint64_t target_bytes =
            ff_cubic_window_bytes(state->w_max_bytes, epoch->k_ns, datagram_bytes, ahead_ns); /* [cubic.target] */
        approach(epoch, grown_for_bytes, target_bytes);
    }
    return epoch->cwnd_bytes;
}

/* Process an ACK; return the window. acked_bytes: bytes that may grow the window in congestion avoidance. */
static uint64_t on_acked(void *rules_state, uint64_t t_ns, const struct ff_ack *ack, uint64_t datagram_bytes,
                         uint64_t cwnd_bytes, uint64_t acked_bytes)
{
    struct ff_cubic *state = rules_state;

    set_flight(state, ack->bytes_in_flight);
    if (ack->app_limited) {
        stop(state, t_ns, false); /* [cubic.limited.growth] */
    } else if (acked_bytes > 0 && cwnd_bytes > 0) {
        cwnd_bytes = grow(state, t_ns, ack, datagram_bytes, cwnd_bytes, acked_bytes);
    }
    if (ack->bytes_in_flight == 0) {
        stop(state, t_ns, true);
    }
    return cwnd_bytes;
}

/* Process a loss or CE mark. */
static void reduce(void *rules_state, uint64_t now_ns, uint64_t datagram_bytes, struct ff_windows *base, uint64_t flight_bytes,
                   bool ce)
{
    struct ff_cubic *state = rules_state;
    const struct ff_cubic_saved prior = {
        .there = true,
        .base = *base,
        .w_max_bytes = state->w_max_bytes,
        .cwnd_prior_bytes = state->cwnd_prior_bytes,
        .epoch = state->epoch,
    };

    (void)now_ns;
    note_reduction(state, base->cwnd_bytes);
    if (!ce) {
        state->saved = prior; /* [cubic.spurious.save] */
    }
    uint64_t basis_bytes = base->cwnd_bytes; /* [cubic.reduce.basis] */
    if (state->readings.reduction_basis == FF_CUBIC_REDUCTION_BASIS_FLIGHT) {
        basis_bytes = flight_bytes == FF_NONE ? state->flight_bytes : flight_bytes; /* [cubic.reduce.flight] */
    }
    uint64_t left_bytes = ff_cubic_seven_tenths(basis_bytes); /* [cubic.reduce] [cubic.reduce.rounding] */
    uint64_t two_bytes = 2 * datagram_bytes, least_bytes = two_bytes; /* [cubic.reduce.minimum] */
    if (ce && state->readings.ce_minimum == FF_CUBIC_CE_MINIMUM_ONE_DATAGRAM) {
        least_bytes = datagram_bytes; /* [cubic.reduce.minimum-ce] */
    }
    base->cwnd_bytes = ff_max(left_bytes, least_bytes); /* [cubic.reduce.at-once] */
    base->ssthresh_bytes = ff_max(left_bytes, two_bytes);
}

/* Set W_max and cwnd_prior from the window before a reduction, by CUBIC or by a startup algorithm. */
static void note_reduction(struct ff_cubic *state, uint64_t cwnd_bytes)
{
    uint64_t last_bytes = state->w_max_bytes;

    state->w_max_bytes = cwnd_bytes; /* [cubic.maximum] */
    if (last_bytes != FF_NONE && cwnd_bytes < last_bytes) {
        state->w_max_bytes = ff_cubic_seventeen_twentieths(cwnd_bytes); /* [cubic.maximum.fast-convergence] */
    }
    state->cwnd_prior_bytes = cwnd_bytes;
    state->saved.there = false;
    state->epoch = (struct ff_cubic_epoch){.begun = false};
}

/* Return the window that a reduction by a startup algorithm makes of `window_bytes`. */
static uint64_t reduced_bytes(const void *rules_state, uint64_t window_bytes)
{
    (void)rules_state;
    return ff_cubic_seven_tenths(window_bytes); /* [cubic.startup.reduce] */
}

/* Remember the window at a reduction by a startup algorithm. */
static void note_startup_reduction(void *rules_state, uint64_t now_ns, uint64_t cwnd_bytes)
{
    (void)now_ns;
    note_reduction(rules_state, cwnd_bytes); /* [cubic.startup.note] */
}

/* Process persistent congestion: the next stage begins without a maximum. */
static void collapse(void *rules_state)
{
    struct ff_cubic *state = rules_state;

    state->saved.there = false;   /* [cubic.spurious.persistent] */
    state->w_max_bytes = FF_NONE; /* [cubic.persistent] */
    state->epoch = (struct ff_cubic_epoch){.begun = false};
}

/* Begin another stage with the next growth: K is computed for one segment size. RFC 9438 leaves this open. */
static void change_datagram_size(void *rules_state)
{
    struct ff_cubic *state = rules_state;

    state->epoch = (struct ff_cubic_epoch){.begun = false};
    state->saved.epoch = (struct ff_cubic_epoch){.begun = false};
}

/* Forget all congestion: a startup algorithm begins again from a small window. */
static void forget(void *rules_state)
{
    struct ff_cubic *state = rules_state;
    uint64_t flight_bytes = state->flight_bytes;

    ff_cubic_begin(state, &state->readings); /* [cubic.startup.forget] */
    state->flight_bytes = flight_bytes;
}

/* Undo the last reduction and write the windows before it; return false without a reduction to undo. */
static bool restore(void *rules_state, uint64_t cwnd_bytes, struct ff_windows *replaced)
{
    struct ff_cubic *state = rules_state;
    const struct ff_cubic_saved *saved = &state->saved;

    if (!saved->there || state->readings.spurious == FF_CUBIC_SPURIOUS_KEPT) {
        return false;
    }
    if (cwnd_bytes >= saved->base.cwnd_bytes) { /* the window before the reduction, which is cwnd_prior */
        return false; /* [cubic.spurious.late] */
    }
    state->w_max_bytes = saved->w_max_bytes; /* [cubic.spurious] */
    state->cwnd_prior_bytes = saved->cwnd_prior_bytes;
    state->epoch = saved->epoch;
    *replaced = saved->base; /* [cubic.spurious.recovery] */
    state->saved.there = false;
    return true;
}

static void numbers(const void *rules_state, struct ff_observation *observation)
{
    const struct ff_cubic *state = rules_state;

    observation->w_max_bytes = state->w_max_bytes;
    observation->cwnd_prior_bytes = state->cwnd_prior_bytes;
    if (state->epoch.begun) {
        observation->epoch_start_ns = state->epoch.start_ns;
        observation->k_ns = state->epoch.k_ns;
        observation->w_est_bytes = state->epoch.w_est_bytes;
    }
}

const struct ff_window_rules ff_cubic_rules = {
    .beta_tenths = 7,
    .slow_start_end_bytes = slow_start_end_bytes,
    .on_sent = on_sent,
    .on_acked = on_acked,
    .reduce = reduce,
    .set_flight = set_flight,
    .reduced_bytes = reduced_bytes,
    .note_startup_reduction = note_startup_reduction,
    .forget = forget,
    .restore = restore,
    .collapse = collapse,
    .change_datagram_size = change_datagram_size,
    .numbers = numbers,
};
