/* Run a scenario: one flow over one bottleneck, with a controller in the loop. */
#include <stdlib.h>

#include "flow.h"

/* One sender, one bottleneck, one receiver. */
struct simulation {
    const struct sim_scenario *scenario;
    struct sim_clock clock;
    struct sim_bottleneck bottleneck;
    struct sim_flow flow;
    const struct sim_outside *outside;
    struct sim_summary *summary;
};

static bool finished(const void *context)
{
    const struct simulation *simulation = context;
    const struct sim_sender *sender = &simulation->flow.sender;
    bool over = sender->slow_start_end_ns != SIM_NONE &&
                simulation->clock.now_ns > sender->slow_start_end_ns + simulation->scenario->after_slow_start_ns;
    return over || (sim_sender_done(sender) && sender->controller.summary.events > 0);
}

static void set_up(struct simulation *simulation, struct sim_memory *memory, const char *algorithm, const char *profile)
{
    const struct sim_scenario *scenario = simulation->scenario;
    struct sim_flow *flow = &simulation->flow;

    simulation->clock.memory = memory;
    simulation->clock.now_ns = SIM_ORIGIN_NS;
    simulation->bottleneck = sim_bottleneck(&scenario->link, scenario->seed, memory);
    sim_in_loop_begin(&flow->sender.controller, memory, algorithm, profile, &scenario->transfer);
    sim_flow_begin(flow, &simulation->clock, &scenario->transfer, &scenario->receiver);
    sim_way_add_meeting(&flow->there, SIM_BOTTLENECK, sim_bottleneck_take, &simulation->bottleneck);
    sim_way_add(&flow->back, SIM_DELAY, NULL);
    flow->back.hops[0].delay_ns = scenario->link.return_delay_ns;
}

static enum sim_status run(struct simulation *simulation)
{
    const struct sim_scenario *scenario = simulation->scenario;
    struct sim_flow *flow = &simulation->flow;

    if (scenario->transfer.announced) {
        uint64_t rtt_ns = sim_forward_delay_at(&scenario->link, 0) + scenario->link.return_delay_ns;
        sim_rtt_sample(&flow->sender.rtt, rtt_ns, 0);
    }
    sim_clock_timer(&simulation->clock, SIM_ORIGIN_NS, sim_flow_start, flow, SIM_ORIGIN_NS);
    bool ended = sim_clock_run(&simulation->clock, SIM_ORIGIN_NS + scenario->stop_ns, finished, simulation);
    return ended ? SIM_OK : SIM_STALLED;
}

static void summarize(const struct simulation *simulation, struct sim_summary *summary)
{
    *summary = simulation->flow.sender.controller.summary;
    summary->now_ns = simulation->clock.now_ns;
    summary->done = sim_sender_done(&simulation->flow.sender);
    summary->dropped_packets = simulation->bottleneck.dropped_packets;
    summary->lost_packets = simulation->bottleneck.lost_packets;
}

/* Call the controller outside the library, which may read the summary during the call. */
static bool ask(void *context, const struct ff_event *event, struct sim_answer *answer)
{
    const struct simulation *simulation = context;

    simulation->summary->dropped_packets = simulation->bottleneck.dropped_packets;
    return simulation->outside->on_event(simulation->outside->context, event, answer);
}

/* Run a prepared simulation: scenario, watcher, clock tick and, if used, the outside controller are set. */
static enum sim_status complete(struct simulation *simulation, const char *algorithm, const char *profile,
                                struct sim_summary *summary)
{
    struct sim_memory memory = {.status = SIM_OK};

    if (setjmp(memory.refused) == 0) {
        set_up(simulation, &memory, algorithm, profile);
        memory.status = run(simulation);
    }
    summarize(simulation, summary);
    free(simulation->clock.queue);
    free(simulation->bottleneck.waiting.items);
    sim_flow_release(&simulation->flow);
    free(simulation);
    return memory.status;
}

enum sim_status sim_simulate(const struct sim_scenario *scenario, const char *algorithm, const char *profile,
                             const struct sim_watch *watch, struct sim_summary *summary)
{
    struct simulation *simulation = calloc(1, sizeof *simulation);

    if (simulation == NULL) {
        return SIM_NO_MEMORY;
    }
    simulation->scenario = scenario;
    simulation->flow.sender.controller.watch = watch != NULL ? watch : &sim_nobody;
    return complete(simulation, algorithm, profile, summary);
}

enum sim_status sim_simulate_outside(const struct sim_scenario *scenario, const struct sim_outside *outside, uint64_t clock_ns,
                                     struct sim_summary *summary)
{
    struct simulation *simulation = calloc(1, sizeof *simulation);
    struct sim_outside noted = *outside;

    if (simulation == NULL) {
        return SIM_NO_MEMORY;
    }
    noted.context = simulation;
    noted.on_event = ask;
    simulation->scenario = scenario;
    simulation->outside = outside;
    simulation->summary = summary;
    simulation->clock.tick_ns = clock_ns;
    simulation->flow.sender.controller.watch = &sim_nobody;
    simulation->flow.sender.controller.outside = &noted;
    return complete(simulation, NULL, NULL, summary);
}
