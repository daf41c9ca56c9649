/*
 * Path simulator (spec/simulator.md) with the controllers of the port: scenarios, networks and presets.
 *
 * The package firstflight_conformance/simulate is the Python binding. conformance/tests/plain_simulator.py produces the
 * same events, exact to the nanosecond.
 */
#ifndef FIRSTFLIGHT_SIMULATOR_H
#define FIRSTFLIGHT_SIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/controller.h"

/* An absent number in a scenario or a result. */
#define SIM_NONE UINT64_MAX

/*
 * Bounds of the parameters of a run. The caller checks them; inside them no expression overflows. Times are below
 * 2^42 ns (73 minutes), rates at least 1 kbit/s, sizes at most 2^40 bytes. A queue takes at most 2^58 ns to drain, so a
 * packet is served by 2^59 ns. A token bucket has a burst of at most 2^29 bytes, a packet at most 2^16 header bytes.
 */
#define SIM_TIME_END_NS (UINT64_C(1) << 42)
#define SIM_RATE_MIN_BPS UINT64_C(1000)
#define SIM_SIZE_MAX_BYTES (UINT64_C(1) << 40)
#define SIM_DRAIN_MAX_NS (UINT64_C(1) << 58)
#define SIM_BURST_MAX_BYTES (UINT64_C(1) << 29)
#define SIM_HEADER_MAX_BYTES (UINT64_C(1) << 16)

/* From `at_ns` after the start, packets that leave the link take `longer_ns` longer. */
struct sim_step {
    uint64_t at_ns;
    uint64_t longer_ns;
};

/* The structures below have the members of their Python values, with the same names and meaning. An absent member is SIM_NONE. */

/* The bottleneck and the way back. */
struct sim_link {
    uint64_t rate_bps;
    uint64_t forward_delay_ns;
    uint64_t return_delay_ns;
    uint64_t queue_bytes;
    uint64_t queue_packets; /* may be absent */
    uint64_t loss_ppm;
    uint64_t jitter_ns;
    uint64_t early_drop_above_bytes;
    uint64_t early_drop_ppm;
    uint64_t step_count;
    const struct sim_step *steps; /* by rising at_ns */
};

struct sim_receiver {
    uint64_t ack_every_packets;
    uint64_t max_ack_delay_ns;
    uint64_t first_at_once;
};

enum sim_pacing { SIM_PACING_NONE = 0, SIM_PACING_WINDOW, SIM_PACING_TIMER };

/* Configuration of a sender and its data. Flags are numbers. */
struct sim_transfer {
    uint64_t max_datagram_size_bytes;
    uint64_t initial_window_bytes; /* 0: the recommended one */
    uint64_t transfer_bytes;       /* may be absent */
    uint64_t pacing;               /* enum sim_pacing */
    uint64_t named_data;
    uint64_t probes;
    uint64_t max_ack_delay_ns;
    uint64_t least_timeout_ns;
    uint64_t header_bytes;
    uint64_t ack_bytes;
    uint64_t receive_window_bytes;       /* may be absent, like the next two */
    uint64_t first_receive_window_bytes;
    uint64_t send_buffer_bytes;
    uint64_t write_bytes;
    uint64_t rtt_tick_ns;                /* may be absent */
    uint64_t announced;
    uint64_t saved_cwnd_bytes;           /* may be absent */
    uint64_t saved_rtt_ns;
    uint64_t syn_bytes;                  /* absent: no handshake and no teardown; the next three are unused */
    uint64_t data_after_ns;
    uint64_t retry_ns;
    uint64_t fin_acknowledges;
    uint64_t samples_rate; /* delivery-rate samples even for a controller that does not use them */
    uint64_t max_data_bytes;  /* receive window of QUIC; absent: unlimited, and the next is unused */
    uint64_t max_data_factor; /* 1 to 16: growth of the window at each MAX_DATA */
};

struct sim_scenario {
    uint64_t seed;
    uint64_t stop_ns;
    uint64_t after_slow_start_ns;
    struct sim_transfer transfer;
    struct sim_link link;
    struct sim_receiver receiver;
};

/* One flow of a network. */
struct sim_plan {
    const char *algorithm;
    const char *profile;
    uint64_t start_ns;
    struct sim_transfer transfer;
    struct sim_receiver receiver;
    uint64_t bucket_rate_bps; /* absent: no bucket; the next two are unused */
    uint64_t bucket_burst_bytes;
    uint64_t bucket_latency_ns;
    uint64_t access_rate_bps; /* absent: no access links; the next is unused */
    uint64_t access_delay_ns;
};

struct sim_network {
    uint64_t seed;
    uint64_t stop_ns;
    uint64_t sample_ns;
    uint64_t return_rate_bps; /* may be absent */
    struct sim_link link;
    uint64_t flow_count;
    const struct sim_plan *flows;
};

/* One transfer of a published experiment. */
struct sim_preset {
    const char *algorithm; /* name in the port; if `profile` is NULL, "cubic" or "jumpstart" of the experiment */
    const char *profile;
    uint64_t stop_ns;
    uint64_t rate_bps;
    uint64_t delay_ns;
    uint64_t queue_bytes;
    uint64_t access_rate_bps;
    uint64_t access_delay_ns;
    struct sim_transfer transfer;
    struct sim_receiver receiver;
};

/* How a run ended. */
enum sim_status {
    SIM_OK = 0,
    SIM_STALLED, /* the sender waits for lost ACKs without probes, or the transfer of a preset does not end */
    SIM_REFUSED, /* the controller does not exist, or rejected an event */
    SIM_BEYOND,  /* a number exceeded the bounds */
    SIM_NO_MEMORY,
    SIM_ENDED,   /* a controller outside the library ended the run */
};

/* Answer of a controller to an event: the window, release time and phase that the sender uses. */
struct sim_answer {
    uint64_t cwnd_bytes;
    uint64_t next_release_ns; /* FF_NONE: the controller does not pace */
    bool in_slow_start;
};

/* A controller outside the library, such as an adapter. */
struct sim_outside {
    uint64_t initial_window_bytes;
    uint64_t samples_rate; /* whether it uses delivery-rate samples */
    void *context;
    /* Answer an event; return false to end the run. */
    bool (*on_event)(void *context, const struct ff_event *event, struct sim_answer *answer);
};

/* Result of a scenario. Times are clock times; the clock starts at one second. */
struct sim_summary {
    uint64_t events; /* events passed to the controller */
    uint64_t began_ns;
    uint64_t ended_ns;
    uint64_t now_ns;
    uint64_t done; /* all data was acknowledged */
    uint64_t slow_start_ended_ns; /* SIM_NONE: never */
    uint64_t ended_by;            /* outcome of the event that ended slow start */
    uint64_t largest_cwnd_bytes;
    uint64_t final_cwnd_bytes;
    uint64_t dropped_packets;
    uint64_t lost_packets; /* lost on the link */
};

/* Result of a flow of a network. Times are clock times, or SIM_NONE for an event that did not happen. */
struct sim_flow_result {
    uint64_t started_ns;
    uint64_t first_sent_ns;
    uint64_t completed_ns;
    uint64_t acknowledged_ns;
    uint64_t delivered_bytes;
    uint64_t sent_packets;
    uint64_t lost_packets;
    uint64_t probe_timeouts;
    uint64_t first_loss_ns;
    uint64_t dropped_by_bucket_packets;
};

struct sim_network_result {
    uint64_t dropped_packets;
    uint64_t early_dropped_packets;
    uint64_t lost_on_link_packets;
    uint64_t now_ns;
    uint64_t events; /* simulator events */
};

struct sim_completion {
    uint64_t finished_ns;
    uint64_t dropped_packets;
    uint64_t sent_packets;
    uint64_t probe_timeouts;
    uint64_t events; /* simulator events */
};

/* A change of phase, or another notable action of the controller. */
struct sim_turn {
    uint64_t t_ns;
    uint64_t phase;   /* enum ff_phase */
    uint64_t outcome; /* enum ff_outcome */
    uint64_t cwnd_bytes;
    uint64_t before_bytes;
};

/* State of a flow at one time. */
struct sim_sample {
    uint64_t delivered_bytes;
    uint64_t cwnd_bytes;
    uint64_t bytes_in_flight;
    uint64_t phase; /* enum ff_phase; absent before the first event */
};

/* Callbacks that watch a run. Each function may be NULL; flows are counted from 0. */
struct sim_watch {
    void *context;
    /* every event and the observation after it; NULL for a window of the thesis, and for a rejected event */
    void (*event)(void *context, size_t flow, const struct ff_event *event, const struct ff_observation *observation);
    void (*turn)(void *context, size_t flow, const struct sim_turn *turn);
    void (*sample)(void *context, uint64_t queue_bytes, const struct sim_sample *flows);
    /* data at the receiver; `name` is the packet whose data it repeats, or SIM_NONE */
    void (*arrived)(void *context, size_t flow, uint64_t now_ns, uint64_t packet, uint64_t name, uint64_t size_bytes);
};

/* Run a scenario. `watch` may be NULL. */
enum sim_status sim_simulate(const struct sim_scenario *scenario, const char *algorithm, const char *profile,
                             const struct sim_watch *watch, struct sim_summary *summary);

/*
 * Run a scenario with a controller outside the library. All events happen at multiples of `clock_ns`, rounded up, for a
 * controller whose clock is coarser than 1 ns. `events` is the only member of the summary about the controller.
 * During a call of the controller, the summary contains the dropped packets so far.
 */
enum sim_status sim_simulate_outside(const struct sim_scenario *scenario, const struct sim_outside *outside, uint64_t clock_ns,
                                     struct sim_summary *summary);

/* Run a network; `flows` receives a result for each of its flows. The results are valid only after SIM_OK. */
enum sim_status sim_run_network(const struct sim_network *network, const struct sim_watch *watch, struct sim_flow_result *flows,
                                struct sim_network_result *result);

/* Run a transfer of a preset. The result is valid only after SIM_OK. */
enum sim_status sim_complete(const struct sim_preset *preset, const struct sim_watch *watch, struct sim_completion *result);

/* The link of a scenario without a simulated sender, for real datagrams. */
struct sim_path;

/* Arrival of a datagram, and the numbers of packets dropped or lost so far. */
struct sim_carried {
    uint64_t arrival_ns; /* SIM_NONE: it never arrives */
    uint64_t busy_until_ns;
    uint64_t dropped_packets;
    uint64_t early_dropped_packets;
    uint64_t lost_packets;
};

/* Return a path that begins at `origin_ns`, or NULL without memory. `link` and its steps must outlive the path. */
struct sim_path *sim_path_begin(const struct sim_link *link, uint64_t seed, uint64_t origin_ns);
enum sim_status sim_path_carry(struct sim_path *path, uint64_t now_ns, uint64_t size_bytes, struct sim_carried *carried);
void sim_path_end(struct sim_path *path);

/* Answer of a profile to an event of a recording. `phase` (enum ff_phase), `outcome` (enum ff_outcome) are optional. */
struct sim_followed {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;
    uint64_t phase;
    uint64_t outcome;
};

/* Let a profile follow a recording: see follow.c. `given` and `after` are windows or SIM_NONE. */
size_t sim_follow(const char *algorithm, const char *profile, const struct ff_config *config, const struct ff_event *events,
                  const uint64_t *given, const uint64_t *after, size_t count, size_t begin, size_t most,
                  uint64_t unit, struct sim_followed *answers);

#endif
