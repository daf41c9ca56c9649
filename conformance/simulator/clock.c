/* The clock of a run: what happens when, in the order of time and, at one time, of scheduling. Twin: simulator/clock.py, without lanes. */
#include "parts.h"

static bool before(const struct sim_entry *a, const struct sim_entry *b)
{
    return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->scheduled < b->scheduled;
}

/* Schedule an action. The queue is a binary heap. */
void sim_clock_at(struct sim_clock *clock, uint64_t t_ns, sim_action *action, union sim_argument argument)
{
    struct sim_entry entry = {t_ns, ++clock->scheduled, action, argument};

    if (clock->waiting == clock->capacity) {
        clock->queue = sim_grow(clock->room, clock->queue, &clock->capacity, clock->waiting, sizeof *clock->queue);
    }
    size_t place = clock->waiting++;
    while (place > 0 && before(&entry, &clock->queue[(place - 1) / 2])) {
        clock->queue[place] = clock->queue[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    clock->queue[place] = entry;
}

static struct sim_entry pop(struct sim_clock *clock)
{
    struct sim_entry first = clock->queue[0];
    struct sim_entry last = clock->queue[--clock->waiting];
    size_t place = 0;

    for (size_t child = 1; child < clock->waiting; child = 2 * place + 1) {
        if (child + 1 < clock->waiting && before(&clock->queue[child + 1], &clock->queue[child])) {
            child++;
        }
        if (before(&last, &clock->queue[child])) {
            break;
        }
        clock->queue[place] = clock->queue[child];
        place = child;
    }
    clock->queue[place] = last;
    return first;
}

/* Run until `finished` says so or `stop_ns` has passed. Return whether it did; otherwise nothing was left to do. */
bool sim_clock_run(struct sim_clock *clock, uint64_t stop_ns, struct sim_flow *flow, bool (*finished)(const struct sim_flow *flow))
{
    while (clock->waiting > 0 && !finished(flow)) {
        clock->now_ns = clock->queue[0].t_ns;
        if (clock->now_ns > stop_ns) {
            return true;
        }
        struct sim_entry entry = pop(clock);
        entry.action(flow, &entry.argument);
    }
    return finished(flow);
}
