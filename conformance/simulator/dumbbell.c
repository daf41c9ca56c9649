/* Run a network: concurrent flows, sampled at fixed intervals. */
#include <stdlib.h>

#include "flow.h"

/* A flow and its access links. */
struct member {
    struct sim_flow flow;
    struct sim_wire wires[4];
    struct sim_bucket bucket;
};

struct dumbbell {
    const struct sim_network *network;
    const struct sim_watch *watch;
    struct sim_clock clock;
    struct sim_bottleneck bottleneck;
    struct sim_link back_link;
    struct sim_bottleneck back; /* used if the rate of the way back is bounded */
    uint64_t unfinished;
    struct sim_sample *samples; /* one for each flow, like the next */
    struct member *members;
};

/* Set up the bottlenecks. The queue of the way back has the size of the forward queue. */
static void set_up_links(struct dumbbell *dumbbell, struct sim_memory *memory)
{
    const struct sim_network *network = dumbbell->network;
    const struct sim_link *link = &network->link;

    dumbbell->bottleneck = sim_bottleneck(link, network->seed, memory);
    dumbbell->back_link = (struct sim_link){
        .rate_bps = network->return_rate_bps,
        .forward_delay_ns = link->return_delay_ns,
        .queue_bytes = link->queue_bytes,
        .queue_packets = link->queue_packets,
    };
    dumbbell->back = sim_bottleneck(&dumbbell->back_link, network->seed, memory);
}

static void add_back(struct dumbbell *dumbbell, struct sim_way *back)
{
    if (dumbbell->network->return_rate_bps != SIM_NONE) {
        sim_way_add_meeting(back, SIM_BOTTLENECK, sim_bottleneck_take, &dumbbell->back);
        return;
    }
    sim_way_add(back, SIM_DELAY, NULL);
    back->hops[back->count - 1].delay_ns = dumbbell->network->link.return_delay_ns;
}

static void add_links(struct dumbbell *dumbbell, struct member *member, const struct sim_plan *plan)
{
    struct sim_way *there = &member->flow.there, *back = &member->flow.back;
    bool access = plan->access_rate_bps != SIM_NONE;

    for (size_t i = 0; i < 4; i++) {
        member->wires[i] = (struct sim_wire){plan->access_rate_bps, plan->access_delay_ns, 0};
    }
    if (plan->bucket_rate_bps != SIM_NONE) {
        member->bucket = sim_bucket(plan->bucket_rate_bps, plan->bucket_burst_bytes, plan->bucket_latency_ns);
        sim_way_add(there, SIM_BUCKET, &member->bucket);
    }
    if (access) {
        sim_way_add(there, SIM_WIRE, &member->wires[0]);
        sim_way_add(back, SIM_WIRE, &member->wires[2]);
    }
    sim_way_add_meeting(there, SIM_BOTTLENECK, sim_bottleneck_take, &dumbbell->bottleneck);
    add_back(dumbbell, back);
    if (access) {
        sim_way_add(there, SIM_WIRE, &member->wires[1]);
        sim_way_add(back, SIM_WIRE, &member->wires[3]);
    }
}

static void add(struct dumbbell *dumbbell, size_t index)
{
    const struct sim_plan *plan = &dumbbell->network->flows[index];
    struct member *member = &dumbbell->members[index];
    struct sim_in_loop *controller = &member->flow.sender.controller;

    controller->watch = dumbbell->watch;
    controller->flow = index;
    sim_in_loop_begin(controller, dumbbell->clock.memory, plan->algorithm, plan->profile, &plan->transfer);
    sim_flow_begin(&member->flow, &dumbbell->clock, &plan->transfer, &plan->receiver);
    member->flow.unfinished = &dumbbell->unfinished;
    add_links(dumbbell, member, plan);
    uint64_t start_ns = SIM_ORIGIN_NS + plan->start_ns;
    sim_clock_timer(&dumbbell->clock, start_ns, sim_flow_start, &member->flow, start_ns);
}

static void sample(void *subject, const union sim_argument *none)
{
    struct dumbbell *dumbbell = subject;
    uint64_t now_ns = dumbbell->clock.now_ns;

    (void)none;
    sim_bottleneck_leave(&dumbbell->bottleneck, now_ns);
    for (size_t i = 0; i < dumbbell->network->flow_count; i++) {
        const struct sim_flow *flow = &dumbbell->members[i].flow;
        const struct sim_sender *sender = &flow->sender;
        dumbbell->samples[i] = (struct sim_sample){
            flow->delivered.bytes, sender->answer.cwnd_bytes, sender->ledger.bytes_in_flight, sender->controller.phase};
    }
    if (dumbbell->watch->sample != NULL) {
        dumbbell->watch->sample(dumbbell->watch->context, dumbbell->bottleneck.waiting_bytes, dumbbell->samples);
    }
    if (dumbbell->unfinished > 0) {
        uint64_t next_ns = now_ns + dumbbell->network->sample_ns;
        sim_clock_timer(&dumbbell->clock, next_ns, sample, dumbbell, next_ns);
    }
}

static bool finished(const void *context)
{
    return ((const struct dumbbell *)context)->unfinished == 0;
}

/* Run until every transfer has ended, or to `stop_ns`. */
static void run(struct dumbbell *dumbbell)
{
    const struct sim_network *network = dumbbell->network;
    uint64_t sample_ns = SIM_ORIGIN_NS + network->sample_ns;

    for (size_t i = 0; i < network->flow_count; i++) {
        add(dumbbell, i);
    }
    sim_clock_timer(&dumbbell->clock, sample_ns, sample, dumbbell, sample_ns);
    sim_clock_run(&dumbbell->clock, SIM_ORIGIN_NS + network->stop_ns, finished, dumbbell);
}

static struct sim_flow_result result_of(const struct member *member)
{
    const struct sim_flow *flow = &member->flow;
    const struct sim_sender *sender = &flow->sender;

    return (struct sim_flow_result){
        .started_ns = flow->started_ns,
        .first_sent_ns = sender->first_sent_ns,
        .completed_ns = flow->completed_ns,
        .acknowledged_ns = flow->acknowledged_ns,
        .delivered_bytes = flow->delivered.bytes,
        .sent_packets = sender->ledger.packets.end,
        .lost_packets = sender->lost_packets,
        .probe_timeouts = sender->probe_timeouts,
        .first_loss_ns = sender->controller.first_loss_ns,
        .dropped_by_bucket_packets = member->bucket.dropped_packets,
    };
}

static void release(struct dumbbell *dumbbell)
{
    for (size_t i = 0; dumbbell->members != NULL && i < dumbbell->network->flow_count; i++) {
        sim_flow_release(&dumbbell->members[i].flow);
    }
    free(dumbbell->members);
    free(dumbbell->samples);
    free(dumbbell->clock.queue);
    free(dumbbell->bottleneck.waiting.items);
    free(dumbbell->back.waiting.items);
    free(dumbbell);
}

enum sim_status sim_run_network(const struct sim_network *network, const struct sim_watch *watch, struct sim_flow_result *flows,
                                struct sim_network_result *result)
{
    struct sim_memory memory = {.status = SIM_OK};
    struct dumbbell *dumbbell = calloc(1, sizeof *dumbbell);

    if (dumbbell == NULL) {
        return SIM_NO_MEMORY;
    }
    dumbbell->network = network;
    dumbbell->watch = watch != NULL ? watch : &sim_nobody;
    dumbbell->unfinished = network->flow_count;
    dumbbell->clock = (struct sim_clock){.memory = &memory, .now_ns = SIM_ORIGIN_NS};
    if (setjmp(memory.refused) == 0) {
        dumbbell->members = calloc(network->flow_count, sizeof *dumbbell->members);
        dumbbell->samples = calloc(network->flow_count, sizeof *dumbbell->samples);
        if (dumbbell->members == NULL || dumbbell->samples == NULL) {
            sim_raise(&memory, SIM_NO_MEMORY);
        }
        set_up_links(dumbbell, &memory);
        run(dumbbell);
        for (size_t i = 0; i < network->flow_count; i++) {
            flows[i] = result_of(&dumbbell->members[i]);
        }
        *result = (struct sim_network_result){
            .dropped_packets = dumbbell->bottleneck.dropped_packets,
            .early_dropped_packets = dumbbell->bottleneck.early_dropped_packets,
            .lost_on_link_packets = dumbbell->bottleneck.lost_packets,
            .now_ns = dumbbell->clock.now_ns,
            .events = dumbbell->clock.events,
        };
    }
    release(dumbbell);
    return memory.status;
}
