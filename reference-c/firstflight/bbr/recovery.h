/*
 * The response to losses, marks and timeouts, and its undo after spurious losses (spec/bbr/rules.md). One function for
 * each step of the draft, in its order.
 */
#ifndef FIRSTFLIGHT_BBR_RECOVERY_H
#define FIRSTFLIGHT_BBR_RECOVERY_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Process packets declared lost. */
enum ff_outcome ff_bbr_on_lost(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                               uint64_t t_ns, const struct ff_lost *lost);

/* Process an increase of the ECN-CE counter as a loss that adds neither bytes nor ranges. */
enum ff_outcome ff_bbr_on_ce(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                             uint64_t t_ns, const struct ff_ce *ce);

/* Process persistent congestion as a retransmission timeout. */
enum ff_outcome ff_bbr_on_enter_rto(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                    struct ff_base_state *base, uint64_t t_ns);

/* Subtract the bytes lost since the last ACK from the window, with packet conservation, and reset their count. */
void ff_bbr_deduct_losses(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base);

/* End recovery as version 3 of Linux does, before any other change by the ACK. */
void ff_bbr_leave_recovery_first(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                                 const struct ff_ack *ack);

/* End recovery if the ACK acknowledges a packet sent after the beginning of recovery. */
void ff_bbr_leave_recovery(struct ff_bbr *state, struct ff_base_state *base, const struct ff_ack *ack);

/* Begin the first round of a recovery with its first ACK. */
void ff_bbr_begin_conservation(struct ff_bbr *state, struct ff_base_state *base, const struct ff_ack *ack);

/* Process the detection that the losses of a recovery were spurious. */
enum ff_outcome ff_bbr_handle_spurious_loss_detection(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                                      struct ff_base_state *base);

#ifdef __cplusplus
}
#endif

#endif
