/* The control parameters of BBR (spec/bbr/rules.md). One function for each step of the draft, in its order. */
#ifndef FIRSTFLIGHT_BBR_CONTROL_H
#define FIRSTFLIGHT_BBR_CONTROL_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* RTT of the initial pacing rate before the first sample, and send quanta per second. */
#define FF_BBR_INITIAL_RTT_NS UINT64_C(1000000)
#define FF_BBR_QUANTA_PER_SECOND UINT64_C(1000)
/* 64 KBytes. */
#define FF_BBR_QUANTUM_MAX_BYTES UINT64_C(65536)
/* Percentage that PacingMarginPercent leaves. */
#define FF_BBR_PACED_PERCENT UINT64_C(99)
/* MinPipeCwnd, and the smallest send quantum, in packets. */
#define FF_BBR_MIN_PIPE_PACKETS UINT64_C(4)
#define FF_BBR_QUANTUM_PACKETS UINT64_C(2)
/* bbr_extra_acked_max_us: BBR.extra_acked counts up to the bytes delivered in this time. */
#define FF_BBR_EXTRA_ACKED_MAX_NS UINT64_C(100000000)

/* Return the smallest window. */
uint64_t ff_bbr_min_pipe_cwnd_bytes(const struct ff_base_state *base);

/* Schedule the next departure after the duration of these packets at the pacing rate. */
void ff_bbr_pace_sent(struct ff_bbr *state, uint64_t t_ns, const struct ff_sent *sent);

/* Set the pacing rate to the initial window per RTT, which is not 0, times the gain. */
void ff_bbr_init_pacing_rate(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                              const struct ff_base_state *base, uint64_t rtt_ns);

/* Set the pacing rate to BBR.bw times the gain, minus the margin. */
void ff_bbr_set_pacing_rate(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                            const struct ff_base_state *base, const struct ff_ack *ack);

/* Set the send quantum: the bytes of a millisecond at the pacing rate. */
void ff_bbr_set_send_quantum(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                             const struct ff_base_state *base);

/* Return the bytes that BBR.bw delivers in a time. */
uint64_t ff_bbr_delivers_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                               const struct ff_base_state *base, uint64_t time_ns);

/* Return the window of free first growth: the initial window, limited in version 3 of Linux, or ten packets. */
uint64_t ff_bbr_least_window_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                   const struct ff_base_state *base);

/* Return a multiple of the bandwidth-delay product. */
uint64_t ff_bbr_bdp_multiple_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                   const struct ff_base_state *base, struct ff_bbr_rate rate, uint64_t gain);

/* Return a volume, raised to the least volume in flight with aggregated packets. */
uint64_t ff_bbr_quantization_budget_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                          const struct ff_base_state *base, uint64_t volume);

/* Return the volume in flight for one bandwidth-delay product of a rate. */
uint64_t ff_bbr_inflight_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                               const struct ff_base_state *base, struct ff_bbr_rate rate);

/* Set the volume in flight that the path needs. */
void ff_bbr_update_max_inflight(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                const struct ff_base_state *base);

/* Bound the window by the volumes set on losses. */
void ff_bbr_bound_cwnd_for_model(const struct ff_bbr *state, struct ff_base_state *base);

/* Move the window towards the volume that the path needs, growing by at most the acknowledged bytes. */
void ff_bbr_set_cwnd(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                     const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
