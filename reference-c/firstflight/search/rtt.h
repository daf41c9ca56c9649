/* The clock and the RTT of SEARCH (spec/search/rules.md, sections Start and Evaluation). */
#ifndef FIRSTFLIGHT_SEARCH_RTT_H
#define FIRSTFLIGHT_SEARCH_RTT_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/search/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The last RTT sample of the connection, as its ACK reported it. Without a sample `latest_ns` is FF_NO_RTT_NS. */
struct ff_search_sample {
    uint64_t latest_ns;
    uint64_t minimum_ns;
    uint64_t smoothed_ns;
    uint64_t ack_delay_ns;
};

/* Return the length of a unit of the profile's clock in ns. */
uint64_t ff_search_ns_per_unit(const struct ff_search_readings *readings);

/* Return a time or an RTT in whole units of the profile's clock. */
uint64_t ff_search_units(const struct ff_search_readings *readings, uint64_t time_ns);

/* Return the RTT of an evaluation in units of the clock; a sample exists. */
uint64_t ff_search_rtt_units(const struct ff_search_readings *readings, const struct ff_search_sample *sample);

/* Return the latest RTT in units of the clock, minus the acknowledgement delay where the reading subtracts it. */
uint64_t ff_search_latest_units(const struct ff_search_readings *readings, const struct ff_search_sample *sample);

/* Store the RTT sample of an ACK, if the ACK has one. */
static inline void ff_search_keep_sample(struct ff_search_sample *sample, const struct ff_ack *ack)
{
    if (ack->latest_rtt_ns != FF_NO_RTT_NS) {
        sample->latest_ns = ack->latest_rtt_ns;
        sample->minimum_ns = ack->min_rtt_ns;
        sample->smoothed_ns = ack->smoothed_rtt_ns;
        sample->ack_delay_ns = ack->ack_delay_ns;
    }
}

#ifdef __cplusplus
}
#endif

#endif
