#include "search_lanman_2024.h"
#include "base.h"
#include "search_lanman_2024_invariant.h"

static struct search_lanman_2024 search;
const size_t drive_state_bytes = sizeof search;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    search_lanman_2024_begin(&search);
}

DRIVE_MEASURED static int header_on_ack(uint64_t now_ns, uint64_t rtt_ns, uint64_t bytes, uint64_t *cwnd, uint64_t minimum_window) {
    if (rtt_ns != DRIVE_NONE)
        search_lanman_2024_rtt(&search, rtt_ns);
    return (int)search_lanman_2024_on_ack(&search, now_ns, bytes, cwnd, minimum_window);
}

/* An ACK in another phase. */
static int header_elsewhere(const struct drive_event *event) {
    if (event->latest_rtt_ns != DRIVE_NONE)
        search_lanman_2024_rtt(&search, event->latest_rtt_ns);
    return -1;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == PERSISTENT_CONGESTION)
        search_lanman_2024_restart(&search);
    if (event->kind != ACK)
        return base_on_event(event);
    uint64_t minimum_window = newreno_rfc_9002_minimum_window(&base);
    int slow_start = !base.in_recovery && newreno_rfc_9002_in_slow_start(&base);
    int outcome = slow_start
                      ? header_on_ack(event->t_ns, event->latest_rtt_ns, event->bytes, &base.congestion_window, minimum_window)
                      : header_elsewhere(event);
    if (outcome == SEARCH_LANMAN_2024_EXITED)
        base.ssthresh = base.congestion_window;
    else if (outcome < 0)
        return base_on_event(event);
    else
        base_on_event(event);
    return answer_of("search_lanman_2024", outcome);
}

int drive_holds(const struct drive_event *event) {
    return search_lanman_2024_clock_invariant(&search, event->t_ns) && search_lanman_2024_ring_invariant(&search);
}
