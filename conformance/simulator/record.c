/* Events of the sender: each is passed to the controller, and the sender uses the latest answer. */
#include "flow.h"

void sim_sender_record(struct sim_sender *sender, struct ff_event *event)
{
    sim_sampler_sample(&sender->sampler, event, sender->ledger.packets.oldest);
    sender->answer = sim_in_loop_on_event(&sender->controller, event);
    if (sender->answer.next_release_ns != FF_NONE) {
        sender->release_ns = sender->answer.next_release_ns;
    }
    if (sender->slow_start_end_ns == SIM_NONE && !sender->answer.in_slow_start) {
        sender->slow_start_end_ns = event->t_ns;
    }
}

void sim_runs_add(struct sim_runs *runs, struct sim_memory *memory, struct ff_run run)
{
    if (runs->count == runs->capacity) {
        runs->runs = sim_grow(memory, runs->runs, &runs->capacity, runs->count, sizeof *runs->runs);
    }
    runs->runs[runs->count++] = run;
    runs->bytes += run.size_bytes;
}
