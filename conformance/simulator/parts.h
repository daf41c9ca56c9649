/* The parts of a run. Each is described where its functions are, in the order of the twins in Python. */
#ifndef FIRSTFLIGHT_SIMULATOR_PARTS_H
#define FIRSTFLIGHT_SIMULATOR_PARTS_H

#include <setjmp.h>
#include <stdbool.h>

#include "simulator.h"

struct sim_flow;

/* room.c: memory that grows; what a run cannot go on without ends it, as an exception does in Python. */

struct sim_room {
    jmp_buf refused; /* where a run ends */
    enum sim_status status;
};

void sim_raise(struct sim_room *room, enum sim_status status);
/* Return `items` with room for `count` of them and more, and the new capacity. */
void *sim_grow(struct sim_room *room, void *items, size_t *capacity, size_t count, size_t item_size);

/* clock.c */

/* What an ACK frame says: ranges newly acknowledged, rising. The path keeps the order and a gap is acknowledged at once: one gap at most. */
struct sim_ack_frame {
    struct ff_range ranges[2];
    size_t range_count;
    uint64_t ack_delay_ns;
};

union sim_argument {
    struct {
        uint64_t packet;
        uint64_t size_bytes;
    } data;
    struct sim_ack_frame ack;
    uint64_t timer_ns;
};

typedef void sim_action(struct sim_flow *flow, const union sim_argument *argument);

struct sim_entry {
    uint64_t t_ns;
    uint64_t scheduled;
    sim_action *action;
    union sim_argument argument;
};

struct sim_clock {
    struct sim_room *room;
    uint64_t now_ns;
    uint64_t scheduled;
    struct sim_entry *queue;
    size_t waiting;
    size_t capacity;
};

void sim_clock_at(struct sim_clock *clock, uint64_t t_ns, sim_action *action, union sim_argument argument);
bool sim_clock_run(struct sim_clock *clock, uint64_t stop_ns, struct sim_flow *flow, bool (*finished)(const struct sim_flow *flow));

/* path.c */

struct sim_waiting {
    uint64_t service_starts_ns;
    uint64_t size_bytes;
};

struct sim_bottleneck {
    const struct sim_scenario *link;
    struct sim_room *room;
    uint64_t origin_ns;
    uint64_t busy_until_ns;
    struct sim_waiting *waiting; /* a ring: `head` is the next to be served */
    size_t head;
    size_t waiting_packets;
    size_t capacity;
    uint64_t waiting_bytes;
    uint64_t last_arrival_ns;
    uint64_t dropped_packets;
    uint64_t lost_packets;
    uint64_t loss;   /* states of random generators (spec/prng.md) */
    uint64_t jitter;
};

struct sim_ack_policy {
    const struct sim_scenario *receiver;
    uint64_t next_packet; /* one above the largest that arrived */
    uint64_t largest_arrival_ns;
    uint64_t pending_packets;
    struct sim_ack_frame pending;
    uint64_t deadline_ns; /* or SIM_NONE */
};

uint64_t sim_forward_delay_at(const struct sim_scenario *link, uint64_t since_start_ns);
/* Return when a packet arrives, SIM_NONE if it never does. */
uint64_t sim_bottleneck_carry(struct sim_bottleneck *bottleneck, uint64_t now_ns, uint64_t size_bytes);
bool sim_ack_policy_arrived(struct sim_ack_policy *acks, uint64_t now_ns, uint64_t packet);
struct sim_ack_frame sim_ack_policy_acknowledge(struct sim_ack_policy *acks, uint64_t now_ns);

/* ledger.c */

struct sim_sent_packet {
    uint64_t size_bytes; /* 0: it is not in flight any more */
    uint64_t sent_t_ns;
};

struct sim_ledger {
    struct sim_room *room;
    uint64_t oldest;      /* no packet below it is in flight */
    uint64_t next_packet;
    uint64_t bytes_in_flight;
    struct sim_sent_packet *packets; /* a ring: packet n is at n modulo the capacity, a power of two */
    size_t capacity;
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

/* sender.c and recovery.c */

/* Packets of an event, one to a run. */
struct sim_runs {
    struct ff_run *runs;
    size_t count;
    size_t capacity;
    uint64_t bytes;
};

struct sim_sender {
    const struct sim_scenario *scenario;
    struct sim_room *room;
    struct ff_controller controller;
    struct sim_ledger ledger;
    struct sim_rtt rtt;
    uint64_t left_bytes; /* to be sent, for the first time or again; SIM_NONE: without end */
    uint64_t cwnd_bytes;      /* of the last answer, as what follows */
    uint64_t next_release_ns; /* FF_NONE: the controller does not pace */
    uint64_t acked_end;         /* one above the largest packet acknowledged */
    uint64_t app_limited_from;  /* or SIM_NONE */
    uint64_t release_ns;
    uint64_t slow_start_end_ns; /* by the phase; or SIM_NONE */
    bool begun;
    struct sim_runs acked;
    struct sim_runs lost;
    struct sim_summary *summary;
    sim_trace *trace;
    void *context;
};

/* What is sent at one time: full packets, and a smaller one at the end of the data. */
struct sim_flight {
    struct ff_run runs[2];
    size_t count;
};

bool sim_sender_done(const struct sim_sender *sender);
struct sim_flight sim_sender_send(struct sim_sender *sender, uint64_t now_ns);
bool sim_sender_wants_pacer(const struct sim_sender *sender);
void sim_sender_on_ack(struct sim_sender *sender, uint64_t now_ns, const struct sim_ack_frame *frame);
void sim_sender_record(struct sim_sender *sender, const struct ff_event *event);
void sim_runs_add(struct sim_runs *runs, struct sim_room *room, struct ff_run run);

void sim_detect_losses(struct sim_sender *sender, uint64_t now_ns, uint64_t acked_bytes);
/* Return when the oldest packet below the largest acknowledged becomes overdue, SIM_NONE if there is none. */
uint64_t sim_loss_timer_ns(const struct sim_sender *sender);

/* flow.c */

struct sim_flow {
    struct sim_clock clock;
    struct sim_bottleneck bottleneck;
    struct sim_sender sender;
    struct sim_ack_policy acks;
    uint64_t loss_timer_ns; /* or SIM_NONE, as the next */
    uint64_t pacer_ns;
};

void sim_flow_start(struct sim_flow *flow, const union sim_argument *none);

#endif
