#include "search_draft_09.h"
#include "base.h"
#include "search_draft_09_invariant.h"

static struct search_draft_09 search;
const size_t drive_state_bytes = sizeof search;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    search_draft_09_begin(&search, max_datagram_size);
}

DRIVE_MEASURED static int header_on_ack(uint64_t now_ns, uint64_t rtt_ns, uint64_t bytes, uint64_t packets, uint64_t bytes_in_flight,
                                        uint64_t *cwnd) {
    search_draft_09_count(&search, bytes);
    if (rtt_ns != DRIVE_NONE)
        search_draft_09_rtt(&search, rtt_ns);
    return (int)search_draft_09_on_ack(&search, now_ns, packets, bytes_in_flight, cwnd);
}

/* An ACK in another phase. */
static int header_elsewhere(const struct drive_event *event) {
    if (event->latest_rtt_ns != DRIVE_NONE)
        search_draft_09_rtt(&search, event->latest_rtt_ns);
    search_draft_09_count(&search, event->bytes);
    return -1;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == SENT)
        search_draft_09_on_sent(&search, event->bytes);
    if (event->kind == PERSISTENT_CONGESTION)
        search_draft_09_restart(&search);
    if (event->kind == DATAGRAM_SIZE)
        search.max_datagram_size = (uint32_t)event->max_datagram_size_bytes;
    if (event->kind != ACK)
        return base_on_event(event);
    uint64_t cwnd = base.congestion_window, packets = packets_of(event);
    int slow_start = !base.in_recovery && newreno_rfc_9002_in_slow_start(&base);
    int outcome = slow_start
                      ? header_on_ack(event->t_ns, event->latest_rtt_ns, event->bytes, packets, event->bytes_in_flight, &cwnd)
                      : header_elsewhere(event);
    if (outcome < 0)
        return base_on_event(event);
    set_window(cwnd);
    if (outcome == SEARCH_DRAFT_09_DRAINED)
        base.ssthresh = base.congestion_window;
    else if (outcome != SEARCH_DRAFT_09_EXITED && outcome != SEARCH_DRAFT_09_DRAINING)
        base_on_event(event);
    return answer_of("search_draft_09", outcome);
}

int drive_holds(const struct drive_event *event) {
    return search_draft_09_clock_invariant(&search, event->t_ns) && search_draft_09_rings_invariant(&search);
}
