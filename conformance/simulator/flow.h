/* Structures and functions of one flow. Functions are documented at their definitions. */
#ifndef FIRSTFLIGHT_SIMULATOR_FLOW_H
#define FIRSTFLIGHT_SIMULATOR_FLOW_H

#include "parts.h"

/* in_loop.c and thesis.c */

struct sim_thesis {
    uint64_t segment_bytes;
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes; /* or SIM_NONE, like other absent members below */
    bool hystart;
    bool window_full;
    uint64_t rest_bytes;
    uint64_t delay_min_ns;
    uint64_t recovery_start_ns;
    /* HyStart: the round, its first ACKs and their RTT */
    uint64_t round_start_ns;
    uint64_t last_ack_ns;
    uint64_t round_end_packet;
    uint64_t samples;
    uint64_t round_rtt_ns;
    /* CUBIC's avoidance */
    uint64_t counted;
    uint64_t epoch_ns;
    uint64_t origin;
    uint64_t ack_count;
    uint64_t friendly_window;
};

/* A controller of the port, a window of the thesis, or a controller outside the library; and its watcher. */
struct sim_in_loop {
    struct sim_memory *memory;
    const struct sim_outside *outside; /* or NULL */
    bool of_thesis;
    struct ff_controller model;
    struct sim_thesis thesis;
    const struct sim_watch *watch;
    size_t flow;
    uint64_t phase; /* enum ff_phase; SIM_NONE before the first event */
    uint64_t cwnd_bytes;
    uint64_t first_loss_ns; /* or SIM_NONE */
    bool samples_rate; /* whether it uses delivery-rate samples */
    struct sim_summary summary;
};

/* A watcher without callbacks. */
extern const struct sim_watch sim_nobody;

void sim_in_loop_begin(struct sim_in_loop *loop, struct sim_memory *memory, const char *algorithm, const char *profile,
                       const struct sim_transfer *transfer);
struct sim_answer sim_in_loop_on_event(struct sim_in_loop *loop, const struct ff_event *event);
void sim_thesis_begin(struct sim_thesis *thesis, const char *algorithm, uint64_t segment_bytes, uint64_t initial_window_bytes);
struct sim_answer sim_thesis_on_event(struct sim_thesis *thesis, const struct ff_event *event);

/* ledger.c */

struct sim_sent_packet {
    uint64_t size_bytes; /* 0: no longer in flight */
    uint64_t sent_t_ns;
};

struct sim_ledger {
    struct sim_span packets; /* no packet below `oldest` is in flight */
    uint64_t bytes_in_flight;
};

struct sim_rtt {
    uint64_t latest_ns; /* these three are SIM_NONE before the first sample */
    uint64_t min_ns;
    uint64_t smoothed_ns;
    uint64_t variation_ns;
};

void sim_ledger_send(struct sim_ledger *ledger, uint64_t count, uint64_t size_bytes, uint64_t now_ns);
const struct sim_sent_packet *sim_ledger_find(const struct sim_ledger *ledger, uint64_t packet);
struct ff_run sim_ledger_take(struct sim_ledger *ledger, uint64_t packet);
void sim_rtt_sample(struct sim_rtt *rtt, uint64_t latest_ns, uint64_t ack_delay_ns);

/* outbox.c */

struct sim_outbox {
    const struct sim_transfer *transfer;
    uint64_t left_bytes;    /* to be sent for the first time, or again if data is unnamed; SIM_NONE: unlimited */
    struct sim_ring again;  /* lost data that waits to be sent again */
    struct sim_span names;  /* by packet; data below its `oldest` is acknowledged */
    uint64_t sent_bytes;
    uint64_t acked_bytes;
    uint64_t max_data_bytes; /* most new bytes in all, or SIM_NONE */
    bool probing; /* the first of `again` is a probe, sent although its data has arrived */
    struct { uint64_t packet, name; } probe; /* the last such probe, which may be gone from `names` */
};

void sim_outbox_begin(struct sim_outbox *outbox, struct sim_memory *memory, const struct sim_transfer *transfer);
bool sim_outbox_empty(const struct sim_outbox *outbox);
uint64_t sim_outbox_next_size_bytes(struct sim_outbox *outbox);
uint64_t sim_outbox_count_alike(const struct sim_outbox *outbox, uint64_t size_bytes, uint64_t most);
/* Put data into `count` packets. Return the packet whose data they repeat, or SIM_NONE for new or unnamed data. */
uint64_t sim_outbox_take(struct sim_outbox *outbox, uint64_t packet, uint64_t size_bytes, uint64_t count);
void sim_outbox_lost(struct sim_outbox *outbox, const struct ff_run *packets, size_t count);
void sim_outbox_acked(struct sim_outbox *outbox, const struct sim_ack_frame *frame, uint64_t new_bytes);
void sim_outbox_probe(struct sim_outbox *outbox, uint64_t oldest, uint64_t size_bytes);
uint64_t sim_outbox_name_of(const struct sim_outbox *outbox, uint64_t packet);
uint64_t sim_outbox_oldest_unacked(const struct sim_outbox *outbox, uint64_t next_packet);

/* sampler.c */

/* Samples the delivery rate for a controller that uses it. */
struct sim_sampler {
    bool on;
    struct sim_span notes; /* by packet: state at the sending of each packet in flight */
    uint64_t delivered_bytes;
    uint64_t delivered_ns;
    uint64_t first_send_ns;
    uint64_t lost_bytes;
    uint64_t app_limited_bytes; /* delivered bytes at the end of the app-limited phase; 0: not app-limited */
};

void sim_sampler_begin(struct sim_sampler *sampler, struct sim_memory *memory, bool on);
void sim_sampler_hold_back(struct sim_sampler *sampler, uint64_t in_flight_bytes);
/* Add the sample to an event. No packet below `oldest_packet` is in flight after an ACK. */
void sim_sampler_sample(struct sim_sampler *sampler, struct ff_event *event, uint64_t oldest_packet);

/* sender.c, record.c, pacer.c and recovery.c */

/* Packets of an event. Each acknowledged or lost packet is a run of one. */
struct sim_runs {
    struct ff_run *runs;
    size_t count;
    size_t capacity;
    uint64_t bytes;
};

struct sim_sender {
    const struct sim_transfer *transfer;
    struct sim_memory *memory;
    struct sim_in_loop controller;
    struct sim_ledger ledger;
    struct sim_rtt rtt;
    struct sim_outbox outbox;
    struct sim_sampler sampler;
    struct sim_answer answer;
    uint64_t receive_window_bytes; /* or SIM_NONE */
    uint64_t acked_end;            /* one above the largest packet acknowledged */
    uint64_t app_limited_from;     /* or SIM_NONE, like the next three */
    uint64_t slow_start_end_ns;
    uint64_t first_sent_ns;
    uint64_t first_sample_ns;
    uint64_t release_ns;
    uint64_t last_sent_ns;
    uint64_t probes;
    uint64_t probe_timeouts;
    uint64_t lost_packets;
    bool begun;
    struct sim_runs sent; /* the packets sent last */
    struct ff_range *repeated; /* packets whose data the first of `sent` repeat */
    size_t repeated_count;
    size_t repeated_capacity;
    struct sim_runs acked;
    struct sim_runs lost;
};

void sim_sender_begin(struct sim_sender *sender, struct sim_memory *memory, const struct sim_transfer *transfer);
bool sim_sender_done(const struct sim_sender *sender);
void sim_sender_sample_handshake(struct sim_sender *sender, uint64_t now_ns, uint64_t sent_ns);
/* Send the packets that may leave now, and list them in `sent`. */
void sim_sender_send(struct sim_sender *sender, uint64_t now_ns);
void sim_sender_probe(struct sim_sender *sender, uint64_t now_ns);
bool sim_sender_wants_pacer(struct sim_sender *sender);
void sim_sender_on_ack(struct sim_sender *sender, uint64_t now_ns, const struct sim_ack_frame *frame);
/* Check whether the sender is application-limited, before an ACK or a timer is processed. */
void sim_sender_check_app_limited(struct sim_sender *sender);
/* Pass an event to the controller, with a delivery-rate sample if it uses samples. */
void sim_sender_record(struct sim_sender *sender, struct ff_event *event);
void sim_runs_add(struct sim_runs *runs, struct sim_memory *memory, struct ff_run run);

bool sim_paced(const struct sim_sender *sender);
void sim_hold_back(struct sim_sender *sender, uint64_t size_bytes, uint64_t now_ns);

void sim_detect_losses(struct sim_sender *sender, uint64_t now_ns, uint64_t acked_bytes);
/* Return the time when the oldest packet below the largest acknowledged one becomes overdue, or SIM_NONE. */
uint64_t sim_loss_timer_ns(const struct sim_sender *sender);
/* Return the time when a probe is due, or SIM_NONE. */
uint64_t sim_probe_timer_ns(const struct sim_sender *sender);

/* delivered.c and flow.c */

/* Data that has arrived at the receiver. */
struct sim_delivered {
    uint64_t bytes;
    struct sim_span missing; /* by packet, up to the largest arrived: whether neither it nor its data has arrived */
};

/* One flow. Times are SIM_NONE until they are reached. */
struct sim_flow {
    struct sim_clock *clock;
    const struct sim_transfer *transfer;
    struct sim_sender sender;
    struct sim_ack_policy acks;
    struct sim_delivered delivered;
    struct sim_way there;
    struct sim_way back;
    uint64_t started_ns;
    uint64_t established_ns;
    uint64_t completed_ns;
    uint64_t acknowledged_ns;
    uint64_t finished_ns;
    uint64_t *unfinished; /* counter to decrement at the end of the flow, or NULL */
    uint64_t loss_timer_ns; /* or SIM_NONE, like the next two */
    uint64_t probe_timer_ns;
    uint64_t pacer_ns;
    uint64_t max_data_bytes;    /* limit that the receiver has announced, or SIM_NONE */
    uint64_t max_data_window_bytes;
    unsigned syn_repeats;
    unsigned fin_repeats;
    bool fin_arrived;
};

void sim_delivered_add(struct sim_delivered *delivered, const struct sim_data *data);

/* Set up a flow. The caller adds the links of its ways. */
void sim_flow_begin(struct sim_flow *flow, struct sim_clock *clock, const struct sim_transfer *transfer,
                    const struct sim_receiver *receiver);
void sim_flow_start(void *flow, const union sim_argument *none);
void sim_flow_release(struct sim_flow *flow);

#endif
