#include "hystartpp_rfc_9406.h"
#include "base.h"
#include "hystartpp_rfc_9406_invariant.h"

static struct hystartpp_rfc_9406 hystartpp;
const size_t drive_state_bytes = sizeof hystartpp;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    hystartpp_rfc_9406_begin(&hystartpp);
}

DRIVE_MEASURED static int header_on_ack(const struct hystartpp_rfc_9406_ack *ack, uint64_t *cwnd, uint64_t *ssthresh) {
    return (int)hystartpp_rfc_9406_on_ack(&hystartpp, ack, cwnd, ssthresh);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    struct drive_answer answer;
    if (event->kind == ACK && base.ssthresh == NEWRENO_RFC_9002_INFINITE) {
        uint64_t cwnd = base.congestion_window, ssthresh = base.ssthresh;
        struct hystartpp_rfc_9406_ack ack = {last_of(event)->last, event->next_packet, event->bytes,
                                             event->latest_rtt_ns, event->app_limited != 0};
        int outcome = header_on_ack(&ack, &cwnd, &ssthresh);
        set_window(cwnd);
        if (outcome == HYSTARTPP_RFC_9406_EXITED)
            base.ssthresh = base.congestion_window;
        answer = answer_of("hystartpp_rfc_9406", outcome);
    } else {
        answer = base_on_event(event);
        if (base.ssthresh != NEWRENO_RFC_9002_INFINITE)
            hystartpp_rfc_9406_on_congestion(&hystartpp);
    }
    if (hystartpp.in_css)
        answer.phase = "conservative_slow_start";
    return answer;
}

static uint64_t acks;

int drive_holds(const struct drive_event *event) {
    acks += event->kind == ACK;
    return hystartpp_rfc_9406_invariant(&hystartpp, acks);
}
