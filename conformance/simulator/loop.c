/* Run a scenario: one flow over one bottleneck, with a controller of the port in the loop. Twin: simulator/loop.py. */
#include <stdlib.h>

#include "parts.h"

/* Every run begins at one second, as every vector does. */
#define ORIGIN_NS UINT64_C(1000000000)

/* Purposes of the seed (spec/simulator.md). */
enum { LOSS = 1, JITTER = 2 };

static bool finished(const struct sim_flow *flow)
{
    const struct sim_sender *sender = &flow->sender;
    bool over = sender->slow_start_end_ns != SIM_NONE &&
                flow->clock.now_ns > sender->slow_start_end_ns + sender->scenario->after_slow_start_ns;
    return over || (sim_sender_done(sender) && sender->summary->events > 0);
}

static void set_up(struct sim_flow *flow, const struct sim_scenario *scenario, struct sim_room *room)
{
    flow->clock = (struct sim_clock){.room = room, .now_ns = ORIGIN_NS};
    flow->bottleneck = (struct sim_bottleneck){
        .link = scenario,
        .room = room,
        .origin_ns = ORIGIN_NS,
        .loss = scenario->seed ^ LOSS,
        .jitter = scenario->seed ^ JITTER,
    };
    flow->acks = (struct sim_ack_policy){.receiver = scenario, .deadline_ns = SIM_NONE};
    flow->sender = (struct sim_sender){
        .scenario = scenario,
        .room = room,
        .ledger = {.room = room},
        .rtt = {.latest_ns = SIM_NONE, .min_ns = SIM_NONE, .smoothed_ns = SIM_NONE},
        .left_bytes = scenario->transfer_bytes,
        .next_release_ns = FF_NONE,
        .app_limited_from = SIM_NONE,
        .slow_start_end_ns = SIM_NONE,
    };
    flow->loss_timer_ns = flow->pacer_ns = SIM_NONE;
}

static enum sim_status run(struct sim_flow *flow)
{
    const struct sim_scenario *scenario = flow->sender.scenario;
    struct sim_summary *summary = flow->sender.summary;

    if (scenario->announced) {
        sim_rtt_sample(&flow->sender.rtt, sim_forward_delay_at(scenario, 0) + scenario->return_delay_ns, 0);
    }
    sim_clock_at(&flow->clock, ORIGIN_NS, sim_flow_start, (union sim_argument){.timer_ns = ORIGIN_NS});
    bool ended = sim_clock_run(&flow->clock, ORIGIN_NS + scenario->stop_ns, flow, finished);
    summary->now_ns = flow->clock.now_ns;
    summary->done = sim_sender_done(&flow->sender);
    summary->dropped_packets = flow->bottleneck.dropped_packets;
    summary->lost_packets = flow->bottleneck.lost_packets;
    return ended ? SIM_OK : SIM_STALLED;
}

static void release(struct sim_flow *flow)
{
    free(flow->clock.queue);
    free(flow->bottleneck.waiting);
    free(flow->sender.ledger.packets);
    free(flow->sender.acked.runs);
    free(flow->sender.lost.runs);
    free(flow);
}

enum sim_status sim_simulate(const struct sim_scenario *scenario, const char *algorithm, const char *profile, sim_trace *trace,
                             void *context, struct sim_summary *summary)
{
    struct ff_config config = {scenario->max_datagram_size_bytes, scenario->initial_window_bytes};
    struct sim_room room = {.status = SIM_OK};
    struct sim_flow *flow = malloc(sizeof *flow);

    if (flow == NULL) {
        return SIM_NO_MEMORY;
    }
    *summary = (struct sim_summary){.slow_start_ended_ns = SIM_NONE};
    set_up(flow, scenario, &room);
    flow->sender.summary = summary;
    flow->sender.trace = trace;
    flow->sender.context = context;
    if (setjmp(room.refused) == 0) {
        if (ff_controller_init(&flow->sender.controller, algorithm, profile, &config) != FF_OK) {
            sim_raise(&room, SIM_REFUSED);
        }
        flow->sender.cwnd_bytes = flow->sender.controller.base.cwnd_bytes;
        room.status = run(flow);
    }
    release(flow);
    return room.status;
}
