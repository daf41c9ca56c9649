#include "tcb_sharing_rfc_9040.h"
#include "base.h"
#include "tcb_sharing_rfc_9040_invariant.h"

static struct tcb_sharing_rfc_9040 tcb;
const size_t drive_state_bytes = sizeof tcb;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    tcb_sharing_rfc_9040_begin(&tcb, max_datagram_size);
}

static struct drive_answer on_saved_path(const struct drive_event *event) {
    struct tcb_sharing_rfc_9040_cached cached = {event->saved_cwnd_bytes, event->saved_rtt_ns, event->expires_t_ns,
                                                 event->max_jump_bytes, (uint32_t)event->beta_numerator,
                                                 (uint32_t)event->beta_denominator, event->endpoint_matches != 0, event->in_use != 0};
    uint64_t cwnd = base.congestion_window;
    int outcome = (int)tcb_sharing_rfc_9040_on_saved_path(&tcb, &cached, event->t_ns, &cwnd, &base.ssthresh);
    set_window(cwnd);
    return answer_of("tcb_sharing_rfc_9040", outcome);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == SAVED_PATH)
        return on_saved_path(event);
    if (event->kind == SENT)
        tcb_sharing_rfc_9040_on_sent(&tcb);
    return base_on_event(event);
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return tcb_sharing_rfc_9040_invariant(&tcb);
}
