/* The state of BBR in quinn-proto (spec/bbr/rules.md, section quinn). */
#ifndef FIRSTFLIGHT_BBR_QUINN_STATE_H
#define FIRSTFLIGHT_BBR_QUINN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/bbr/rate.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TransportConfig::initial_rtt, with which the smallest RTT of a connection begins. */
#define FF_BBR_QUINN_INITIAL_RTT_NS UINT64_C(333000000)

/* Rates are whole bytes per second. Times are FF_NONE before there is one. */
struct ff_bbr_quinn {
    uint64_t initial_window_bytes;
    uint64_t cwnd_bytes; /* the window without ProbeRTT and recovery */
    uint64_t sent_bytes; /* of the last transmission */
    uint64_t sent_ns;
    uint64_t prev_sent_ns; /* of the one before */
    uint64_t acked_bytes;  /* in all */
    uint64_t acked_ns;     /* last */
    uint64_t bw;
    uint64_t path_min_rtt_ns; /* the smallest RTT that the connection knows */
    uint64_t min_rtt_ns;      /* that of BBR, 0 before there is one */
    uint64_t max_sent_packet;
    uint64_t max_acked_packet;
    uint64_t round_end_packet;
    uint64_t round_count;
    uint64_t bw_at_last_round;
    uint64_t round_wo_bw_gain;
    uint64_t aggregation_epoch_start_ns;
    uint64_t aggregation_epoch_bytes;                    /* acknowledged since */
    struct ff_bbr_round_rate max_ack_height[FF_BBR_KEPT]; /* the three samples that are kept */
    uint64_t extra_acked_bytes;                          /* what the last window has of them */
    uint64_t max_inflight_bytes;
    uint64_t lost_bytes; /* since the last ACK */
    uint64_t recovery_window_bytes;
    uint64_t end_recovery_packet;
    uint64_t probe_rtt_last_started_ns;
    uint64_t exit_probe_rtt_ns;
    uint64_t pacing_rate;
    enum ff_phase phase;
    bool app_limited;
    bool is_at_full_bandwidth;
    bool in_recovery;
    bool conservation;
};

#ifdef __cplusplus
}
#endif

#endif
