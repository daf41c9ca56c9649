/* The clock of a run: actions in order of time, then of scheduling. */
#include "parts.h"

static bool before(const struct sim_entry *a, const struct sim_entry *b)
{
    return a->t_ns != b->t_ns ? a->t_ns < b->t_ns : a->scheduled < b->scheduled;
}

/* Add an action that is scheduled now. The queue is a binary heap. */
static struct sim_entry *push(struct sim_clock *clock, uint64_t t_ns, sim_action *action, void *subject)
{
    if (clock->tick_ns > 1) {
        t_ns = (t_ns + clock->tick_ns - 1) / clock->tick_ns * clock->tick_ns;
    }
    struct sim_entry entry = {.t_ns = t_ns, .scheduled = ++clock->scheduled, .action = action, .subject = subject};

    if (clock->waiting == clock->capacity) {
        clock->queue = sim_grow(clock->memory, clock->queue, &clock->capacity, clock->waiting, sizeof *clock->queue);
    }
    size_t place = clock->waiting++;
    while (place > 0 && before(&entry, &clock->queue[(place - 1) / 2])) {
        clock->queue[place] = clock->queue[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    clock->queue[place] = entry;
    return &clock->queue[place];
}

/* Schedule an action with the time of a timer, which may have passed. */
void sim_clock_timer(struct sim_clock *clock, uint64_t t_ns, sim_action *action, void *subject, uint64_t timer_ns)
{
    push(clock, t_ns, action, subject)->argument.timer_ns = timer_ns;
}

/* Schedule an action with a packet. */
void sim_clock_packet(struct sim_clock *clock, uint64_t t_ns, sim_action *action, void *subject, const struct sim_packet *packet)
{
    push(clock, t_ns, action, subject)->argument.packet = *packet;
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

/* Run until `finished` returns true or `stop_ns` has passed. Return false if the queue became empty before. */
bool sim_clock_run(struct sim_clock *clock, uint64_t stop_ns, bool (*finished)(const void *context), const void *context)
{
    while (clock->waiting > 0 && !finished(context)) {
        clock->now_ns = clock->queue[0].t_ns;
        if (clock->now_ns > stop_ns) {
            return true;
        }
        struct sim_entry entry = pop(clock);
        clock->events++;
        entry.action(entry.subject, &entry.argument);
    }
    return finished(context);
}
