/* Run a transfer of a published experiment: a dumbbell for one flow, with CoDel in both directions. */
#include <stdlib.h>

#include "flow.h"

struct experiment {
    struct sim_clock clock;
    struct sim_codel_link bottlenecks[2];
    struct sim_wire wires[4];
    struct sim_flow flow;
};

static void set_up(struct experiment *experiment, struct sim_memory *memory, const struct sim_preset *preset)
{
    struct sim_flow *flow = &experiment->flow;

    experiment->clock = (struct sim_clock){.memory = memory, .now_ns = SIM_ORIGIN_NS};
    sim_in_loop_begin(&flow->sender.controller, memory, preset->algorithm, preset->profile, &preset->transfer);
    sim_flow_begin(flow, &experiment->clock, &preset->transfer, &preset->receiver);
    for (size_t i = 0; i < 4; i++) {
        experiment->wires[i] = (struct sim_wire){preset->access_rate_bps, preset->access_delay_ns, 0};
    }
    for (size_t i = 0; i < 2; i++) {
        struct sim_way *way = i == 0 ? &flow->there : &flow->back;
        experiment->bottlenecks[i] =
            sim_codel_link(&experiment->clock, preset->rate_bps, preset->delay_ns, preset->queue_bytes);
        sim_way_add(way, SIM_WIRE, &experiment->wires[2 * i]);
        sim_way_add_meeting(way, SIM_CODEL, sim_codel_link_take, &experiment->bottlenecks[i]);
        sim_way_add(way, SIM_WIRE, &experiment->wires[2 * i + 1]);
    }
}

static bool finished(const void *context)
{
    return ((const struct experiment *)context)->flow.finished_ns != SIM_NONE;
}

static enum sim_status run(struct experiment *experiment, const struct sim_preset *preset)
{
    sim_clock_timer(&experiment->clock, SIM_ORIGIN_NS, sim_flow_start, &experiment->flow, SIM_ORIGIN_NS);
    sim_clock_run(&experiment->clock, SIM_ORIGIN_NS + preset->stop_ns, finished, experiment);
    return finished(experiment) ? SIM_OK : SIM_STALLED;
}

static struct sim_completion completion(const struct experiment *experiment)
{
    const struct sim_codel_link *links = experiment->bottlenecks;

    return (struct sim_completion){
        .finished_ns = experiment->flow.finished_ns,
        .dropped_packets = links[0].codel.dropped_packets + links[1].codel.dropped_packets,
        .sent_packets = experiment->flow.sender.ledger.packets.end,
        .probe_timeouts = experiment->flow.sender.probe_timeouts,
        .events = experiment->clock.events,
    };
}

enum sim_status sim_complete(const struct sim_preset *preset, const struct sim_watch *watch, struct sim_completion *result)
{
    struct sim_memory memory = {.status = SIM_OK};
    struct experiment *experiment = calloc(1, sizeof *experiment);

    if (experiment == NULL) {
        return SIM_NO_MEMORY;
    }
    experiment->flow.sender.controller.watch = watch != NULL ? watch : &sim_nobody;
    if (setjmp(memory.refused) == 0) {
        set_up(experiment, &memory, preset);
        memory.status = run(experiment, preset);
        *result = completion(experiment);
    }
    free(experiment->clock.queue);
    for (size_t i = 0; i < 2; i++) {
        free(experiment->bottlenecks[i].device.items);
        free(experiment->bottlenecks[i].codel.waiting.items);
    }
    sim_flow_release(&experiment->flow);
    free(experiment);
    return memory.status;
}
