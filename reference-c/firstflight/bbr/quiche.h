/* BBR of quiche: the flow of an event (spec/bbr/rules.md). The window is that of the base. */
#ifndef FIRSTFLIGHT_BBR_QUICHE_H
#define FIRSTFLIGHT_BBR_QUICHE_H

#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with the initial window in an RTT that nobody measured. */
void ff_bbr_quiche_begin(struct ff_bbr *state, const struct ff_newreno *base);

/* Process an event. */
enum ff_outcome ff_bbr_quiche_on_event(struct ff_bbr *state, struct ff_newreno *base, const struct ff_event *event);

#ifdef __cplusplus
}
#endif

#endif
