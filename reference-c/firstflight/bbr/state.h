/* The state of BBR, with the names of the draft, and its constants (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_STATE_H
#define FIRSTFLIGHT_BBR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/bbr/rate.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a gain of 1: 277/100, 1/2, and the 739/256, 710/256 and 88/256 of kernels are whole numbers of parts. */
#define FF_BBR_GAIN_UNIT UINT64_C(64000)
/* ExtraAckedFilterLen, in rounds. */
#define FF_BBR_EXTRA_ACKED_ROUNDS 10
/* Absent bound, or absent RTT: FF_NONE of the observables. */
#define FF_BBR_INFINITE UINT64_MAX

/* RS, the rate sample of an ACK. */
struct ff_bbr_sample {
    struct ff_bbr_rate rate;
    uint64_t delivered_bytes;
    uint64_t prior_delivered_bytes; /* FF_BBR_INFINITE if the event lacks a sample */
    uint64_t in_flight_bytes;
    uint64_t lost_bytes;
    bool app_limited;
};

/* State of BBR. The window, in_recovery and recovery_start_ns are in the base. */
struct ff_bbr {
    uint64_t initial_window_bytes;
    uint64_t pacing_gain; /* in parts of FF_BBR_GAIN_UNIT */
    uint64_t cwnd_gain;
    uint64_t delivered_bytes; /* C.delivered, C.inflight, C.app_limited */
    uint64_t in_flight_bytes;
    uint64_t app_limited_bytes;
    /* rounds */
    uint64_t round_count;
    uint64_t next_round_delivered_bytes;
    uint64_t drain_start_round;
    /* rates and volumes */
    struct ff_bbr_rate max_bw;
    struct ff_bbr_round_rate max_bw_kept[FF_BBR_KEPT];
    struct ff_bbr_rate bw;
    struct ff_bbr_rate bw_shortterm;
    struct ff_bbr_rate bw_latest;
    uint64_t inflight_longterm_bytes;
    uint64_t inflight_shortterm_bytes;
    uint64_t inflight_latest_bytes;
    uint64_t min_rtt_ns;
    uint64_t min_rtt_stamp_ns;
    uint64_t probe_rtt_min_delay_ns;
    uint64_t probe_rtt_min_stamp_ns;
    uint64_t bdp_bytes;
    uint64_t max_inflight_bytes;
    /* aggregation: the largest samples of the last rounds, by the number of the round */
    uint64_t extra_acked_bytes;
    uint64_t extra_acked_interval_start_ns;
    uint64_t extra_acked_delivered_bytes;
    uint64_t extra_acked_rounds[FF_BBR_EXTRA_ACKED_ROUNDS];
    uint64_t extra_acked_age; /* age of the present sample in version 3 of Linux, in rounds */
    uint64_t extra_acked_slot;
    /* the search for a full pipe */
    struct ff_bbr_rate full_bw;
    uint64_t full_bw_count;
    /* losses */
    uint64_t loss_round_delivered_bytes;
    uint64_t lost_ranges;      /* in this round */
    uint64_t next_lost_packet; /* the number after the last lost packet */
    uint64_t lost_acks;        /* ACKs of the round with losses */
    uint64_t recovery_delivered_bytes; /* C.delivered at the beginning of recovery */
    uint64_t newly_lost_bytes;         /* since the last ACK */
    uint64_t prior_cwnd_bytes;
    struct ff_bbr_rate undo_bw_shortterm;
    uint64_t undo_inflight_shortterm_bytes;
    uint64_t undo_inflight_longterm_bytes;
    /* control */
    uint64_t ssthresh_bytes;
    uint64_t pacing_rate; /* in bytes per second, at least 1 */
    uint64_t send_quantum_bytes;
    uint64_t next_send_ns; /* FF_NONE before the first sent packet */
    enum ff_phase phase;
    bool round_start;
    bool full_bw_now;
    bool full_bw_reached;
    bool is_loss_in_round;
    bool loss_round_start;
    bool window_reached; /* the window has reached the volume that the path needs */
    bool conservation_due; /* recovery began since the last ACK */
    bool packet_conservation;
    bool timeout;      /* a timeout began the recovery */
    bool undo_startup; /* BBR.undo_state is Startup */
    bool has_rtt;      /* the pacing rate was computed from an RTT */
};

/* Return a volume, or the largest window if it is larger. */
uint64_t ff_bbr_saturate(uint64_t volume_bytes);

/* Return the smaller or the larger of two bounds, which may be FF_BBR_INFINITE. */
uint64_t ff_bbr_smaller_bound(uint64_t bound_bytes, uint64_t other_bytes);
uint64_t ff_bbr_larger_bound(uint64_t bound_bytes, uint64_t other_bytes);

#ifdef __cplusplus
}
#endif

#endif
