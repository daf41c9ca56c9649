#include "hybla_linux_kernel.h"
#include "base.h"
#include "hybla_linux_kernel_invariant.h"

static struct hybla_linux_kernel hybla;
const size_t drive_state_bytes = sizeof hybla;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    hybla_linux_kernel_begin(&hybla, max_datagram_size);
}

DRIVE_MEASURED static int header_on_ack(uint64_t ssthresh, uint64_t *cwnd) {
    return (int)hybla_linux_kernel_on_ack(&hybla, ssthresh, cwnd);
}

/* Return whether a run was sent before recovery began. */
static int is_old(const struct drive_event *event, uint64_t run) {
    return event->runs[run].sent_t_ns <= base.congestion_recovery_start_time;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == ACK && event->smoothed_rtt_ns != DRIVE_NONE)
        hybla_linux_kernel_on_rtt(&hybla, event->smoothed_rtt_ns);
    if (event->kind != ACK || base.in_recovery)
        return base_on_event(event);
    if (event->app_limited)
        return answer_of("newreno_rfc_9002", NEWRENO_RFC_9002_APP_LIMITED);
    uint64_t cwnd = base.congestion_window, old = 0;
    int outcome = HYBLA_LINUX_KERNEL_GROWN;
    EACH_RUN(event, i)
        old += (uint64_t)is_old(event, i);
    if (old < event->run_count)
        outcome = header_on_ack(base.ssthresh, &cwnd);
    set_window(cwnd);
    if (is_old(event, event->run_count - 1))
        return answer_of("newreno_rfc_9002", NEWRENO_RFC_9002_IN_RECOVERY);
    return answer_of("hybla_linux_kernel", outcome);
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return hybla_linux_kernel_invariant(&hybla);
}
