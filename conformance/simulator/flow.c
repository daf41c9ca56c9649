/* One flow: a sender, a receiver, and their timers. Twin: simulator/flow.py, without handshake and teardown. */
#include "parts.h"

static sim_action at_receiver, delayed_ack, at_sender, on_loss_timer, paced;

/* Data towards the receiver */

static void forward_runs(struct sim_flow *flow, const struct sim_flight *flight)
{
    uint64_t now_ns = flow->clock.now_ns;

    for (size_t i = 0; i < flight->count; i++) {
        const struct ff_run *run = &flight->runs[i];
        for (uint64_t packet = run->first; packet <= run->last; packet++) {
            uint64_t arrival_ns = sim_bottleneck_carry(&flow->bottleneck, now_ns, run->size_bytes);
            if (arrival_ns != SIM_NONE) {
                union sim_argument argument = {.data = {packet, run->size_bytes}};
                sim_clock_at(&flow->clock, arrival_ns, at_receiver, argument);
            }
        }
    }
}

static void send(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock.now_ns;
    struct sim_flight flight = sim_sender_send(&flow->sender, now_ns);

    forward_runs(flow, &flight);
    if (flow->pacer_ns == SIM_NONE && sim_sender_wants_pacer(&flow->sender)) {
        flow->pacer_ns = flow->sender.release_ns > now_ns ? flow->sender.release_ns : now_ns;
        sim_clock_at(&flow->clock, flow->pacer_ns, paced, (union sim_argument){.timer_ns = flow->pacer_ns});
    }
}

void sim_flow_start(struct sim_flow *flow, const union sim_argument *none)
{
    (void)none;
    send(flow);
}

static void paced(struct sim_flow *flow, const union sim_argument *none)
{
    (void)none;
    flow->pacer_ns = SIM_NONE;
    send(flow);
}

static void acknowledge(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock.now_ns;
    union sim_argument argument = {.ack = sim_ack_policy_acknowledge(&flow->acks, now_ns)};

    sim_clock_at(&flow->clock, now_ns + flow->bottleneck.link->return_delay_ns, at_sender, argument);
}

static void at_receiver(struct sim_flow *flow, const union sim_argument *argument)
{
    struct sim_ack_policy *acks = &flow->acks;

    if (sim_ack_policy_arrived(acks, flow->clock.now_ns, argument->data.packet)) {
        acknowledge(flow);
    } else if (acks->pending_packets == 1) {
        sim_clock_at(&flow->clock, acks->deadline_ns, delayed_ack, (union sim_argument){.timer_ns = acks->deadline_ns});
    }
}

static void delayed_ack(struct sim_flow *flow, const union sim_argument *argument)
{
    if (flow->acks.deadline_ns == argument->timer_ns) {
        acknowledge(flow);
    }
}

/* ACKs towards the sender, and its timer */

static void after_losses(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock.now_ns;
    uint64_t timer_ns = sim_loss_timer_ns(&flow->sender);

    if (timer_ns != SIM_NONE && timer_ns != flow->loss_timer_ns) {
        flow->loss_timer_ns = timer_ns;
        sim_clock_at(&flow->clock, timer_ns > now_ns ? timer_ns : now_ns, on_loss_timer, (union sim_argument){.timer_ns = timer_ns});
    }
    send(flow);
}

static void at_sender(struct sim_flow *flow, const union sim_argument *argument)
{
    sim_sender_on_ack(&flow->sender, flow->clock.now_ns, &argument->ack);
    after_losses(flow);
}

static void on_loss_timer(struct sim_flow *flow, const union sim_argument *argument)
{
    if (argument->timer_ns == flow->loss_timer_ns) {
        flow->loss_timer_ns = SIM_NONE;
        sim_detect_losses(&flow->sender, flow->clock.now_ns, 0);
        after_losses(flow);
    }
}
