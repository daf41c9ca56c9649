/*
 * The path simulator (spec/simulator.md) with controllers of the port: one flow over one bottleneck, as a scenario describes it.
 *
 * It is the twin of firstflight_conformance/simulator, file beside file, and gives the same events to the nanosecond. What that has for
 * networks and presets is not here: names of data, probes, handshakes.
 */
#ifndef FIRSTFLIGHT_SIMULATOR_H
#define FIRSTFLIGHT_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include "firstflight/controller.h"

/* A number of a scenario or a summary that is not there. */
#define SIM_NONE UINT64_MAX

/*
 * Bounds of what a scenario may hold, which its caller has checked: inside them no expression overflows. Times are below 2^42 ns (73
 * minutes), rates at least 1 kbit/s, sizes at most 2^40 bytes. A queue takes at most 2^58 ns to drain, so that a packet is served by 2^59 ns.
 */
#define SIM_TIME_END_NS (UINT64_C(1) << 42)
#define SIM_RATE_MIN_BPS UINT64_C(1000)
#define SIM_SIZE_MAX_BYTES (UINT64_C(1) << 40)
#define SIM_DRAIN_MAX_NS (UINT64_C(1) << 58)

/* From `at_ns` after the start on, packets that leave the link take `longer_ns` longer. */
struct sim_step {
    uint64_t at_ns;
    uint64_t longer_ns;
};

/* The members of a scenario, by the names and in the sense of its schema. Those that may be absent are SIM_NONE then. */
struct sim_scenario {
    uint64_t seed;
    uint64_t stop_ns;
    uint64_t after_slow_start_ns;
    /* the sender */
    uint64_t max_datagram_size_bytes;
    uint64_t initial_window_bytes; /* 0: the recommended one */
    uint64_t transfer_bytes;       /* may be absent */
    uint64_t paced;
    uint64_t announced;
    uint64_t saved_cwnd_bytes; /* may be absent */
    /* the link */
    uint64_t rate_bps;
    uint64_t forward_delay_ns;
    uint64_t return_delay_ns;
    uint64_t queue_bytes;
    uint64_t loss_ppm;
    uint64_t jitter_ns;
    uint64_t step_count;
    const struct sim_step *steps; /* by rising at_ns */
    /* the receiver */
    uint64_t ack_every_packets;
    uint64_t max_ack_delay_ns;
};

/* How a run ended. */
enum sim_status {
    SIM_OK = 0,
    SIM_STALLED, /* the sender waits for ACKs that will not come: there are no probes */
    SIM_REFUSED, /* the controller does not exist, or refused an event */
    SIM_NO_MEMORY,
};

/* What a run came to. Times are those of the clock, which begins at one second. */
struct sim_summary {
    uint64_t events; /* that the controller was told */
    uint64_t began_ns;
    uint64_t ended_ns;
    uint64_t now_ns;
    uint64_t done; /* all data was acknowledged */
    uint64_t slow_start_ended_ns; /* SIM_NONE: never */
    uint64_t ended_by;            /* the outcome of the event at which slow start ended */
    uint64_t largest_cwnd_bytes;
    uint64_t final_cwnd_bytes;
    uint64_t dropped_packets;
    uint64_t lost_packets; /* on the link */
};

/* Is told every event and what the controller observed after it. */
typedef void sim_trace(void *context, const struct ff_event *event, const struct ff_observation *observation);

/* Run a scenario. `trace` may be NULL. After SIM_REFUSED and SIM_NO_MEMORY the summary says nothing. */
enum sim_status sim_simulate(const struct sim_scenario *scenario, const char *algorithm, const char *profile, sim_trace *trace,
                             void *context, struct sim_summary *summary);

#endif
