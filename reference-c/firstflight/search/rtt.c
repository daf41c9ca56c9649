/* The clock and the RTT of SEARCH. Mirrors reference-py/src/firstflight/search/rtt.py. */
#include "firstflight/search/rtt.h"

#include "firstflight/minmax.h"

uint64_t ff_search_ns_per_unit(const struct ff_search_readings *readings)
{
    if (readings->clock == FF_SEARCH_CLOCK_NS) {
        return 1;
    }
    return readings->clock == FF_SEARCH_CLOCK_US ? 1000 : 1000000;
}

uint64_t ff_search_units(const struct ff_search_readings *readings, uint64_t time_ns)
{
    return time_ns / ff_search_ns_per_unit(readings); /* [search.clock] */
}

static uint64_t at_least_one(uint64_t rtt_units)
{
    if (rtt_units == 0) {
        rtt_units = 1; /* [search.init.rtt-zero] */
    }
    return rtt_units;
}

uint64_t ff_search_rtt_units(const struct ff_search_readings *readings, const struct ff_search_sample *sample)
{
    uint64_t other_ns = FF_NO_RTT_NS; /* [search.rtt.latest] */

    if (readings->rtt == FF_SEARCH_RTT_SMOOTHED) {
        other_ns = sample->smoothed_ns;
    } else if (readings->rtt == FF_SEARCH_RTT_MINIMUM) {
        other_ns = sample->minimum_ns;
    }
    if (other_ns == FF_NO_RTT_NS) {
        return ff_search_latest_units(readings, sample);
    }
    return at_least_one(ff_search_units(readings, other_ns));
}

/* Return a delay in units of the clock. It is limited against overflow: a delay above the RTT is never subtracted. */
static uint64_t delay_units(const struct ff_search_readings *readings, uint64_t delay_ns)
{
    delay_ns = ff_min(delay_ns, 2 * FF_TIME_MAX_NS);
    if (readings->ack_delay == FF_SEARCH_ACK_DELAY_OFF_ABOVE_NEAREST) {
        delay_ns += ff_search_ns_per_unit(readings) / 2;
    }
    return ff_search_units(readings, delay_ns);
}

/* Return the minimum RTT in units of the clock, for the test of the acknowledgement delay. */
static uint64_t minimum_units(const struct ff_search_readings *readings, uint64_t minimum_ns)
{
    uint64_t minimum = ff_search_units(readings, minimum_ns);

    return readings->ack_delay == FF_SEARCH_ACK_DELAY_OFF_ABOVE_NEAREST ? at_least_one(minimum) : minimum;
}

uint64_t ff_search_latest_units(const struct ff_search_readings *readings, const struct ff_search_sample *sample)
{
    uint64_t rtt_units = ff_search_units(readings, sample->latest_ns);

    if (readings->ack_delay != FF_SEARCH_ACK_DELAY_KEPT && sample->minimum_ns != FF_NO_RTT_NS) {
        uint64_t delay = delay_units(readings, sample->ack_delay_ns);
        uint64_t least = delay + minimum_units(readings, sample->minimum_ns); /* below 2^61 */
        if (rtt_units > least ||
            (rtt_units == least && readings->ack_delay == FF_SEARCH_ACK_DELAY_OFF_AT_LEAST)) {
            rtt_units -= delay; /* [search.rtt.ack-delay] */
        }
    }
    return at_least_one(rtt_units);
}
