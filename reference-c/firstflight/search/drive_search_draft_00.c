#include "search_draft_00.h"
#include "base.h"
#include "search_draft_00_invariant.h"

static struct search_draft_00 search;
const size_t drive_state_bytes = sizeof search;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    search_draft_00_begin(&search);
}

DRIVE_MEASURED static int header_on_ack(uint64_t now_ns, uint64_t rtt_ns, uint64_t bytes, uint64_t *cwnd) {
    search_draft_00_count(&search, bytes);
    if (rtt_ns != DRIVE_NONE)
        search_draft_00_rtt(&search, rtt_ns);
    return (int)search_draft_00_on_ack(&search, now_ns, cwnd);
}

/* An ACK in another phase. */
static int header_elsewhere(const struct drive_event *event) {
    if (event->latest_rtt_ns != DRIVE_NONE)
        search_draft_00_rtt(&search, event->latest_rtt_ns);
    search_draft_00_count(&search, event->bytes);
    return -1;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind != ACK)
        return base_on_event(event);
    int slow_start = !base.in_recovery && newreno_rfc_9002_in_slow_start(&base);
    int outcome = slow_start
                      ? header_on_ack(event->t_ns, event->latest_rtt_ns, event->bytes, &base.congestion_window)
                      : header_elsewhere(event);
    if (outcome == SEARCH_DRAFT_00_EXITED)
        base.ssthresh = base.congestion_window;
    struct drive_answer grown = base_on_event(event); /* in every phase */
    return outcome < 0 ? grown : answer_of("search_draft_00", outcome);
}

int drive_holds(const struct drive_event *event) {
    return search_draft_00_clock_invariant(&search, event->t_ns) && search_draft_00_ring_invariant(&search);
}
