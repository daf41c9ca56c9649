#include "bbr_draft_06.h"
#include "bbr_draft_06_invariant.h"
#include "drive.h"

static struct bbr_draft_06 bbr;
const size_t drive_state_bytes = sizeof bbr;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) { bbr_draft_06_begin(&bbr, max_datagram_size, initial_window); }

DRIVE_MEASURED static int header_on_ack(const struct bbr_draft_06_ack *ack) { return (int)bbr_draft_06_on_ack(&bbr, ack); }

static uint64_t newest_sent_ns(const struct drive_event *event) {
    uint64_t newest = 0;
    EACH_RUN(event, i)
        newest = event->runs[i].sent_t_ns > newest ? event->runs[i].sent_t_ns : newest;
    return newest;
}

static int on_lost(const struct drive_event *event) {
    if (event->pmtu_probe) {
        bbr.inflight = bbr_draft_06_min(event->bytes_in_flight, BBR_DRAFT_06_MOST);
        return (int)BBR_DRAFT_06_UNCHANGED;
    }
    int outcome = (int)bbr_draft_06_on_lost(&bbr, event->t_ns, event->bytes_in_flight, newest_sent_ns(event));
    EACH_RUN(event, i)
        bbr_draft_06_on_lost_range(&bbr, event->runs[i].first, event->runs[i].last);
    return outcome;
}

static int on_event(const struct drive_event *event) {
    switch ((int)event->kind) {
    case SENT: return (int)bbr_draft_06_on_transmit(&bbr, event->t_ns, event->bytes, event->bytes_in_flight,
                                               event->app_limited != 0);
    case ACK: {
        struct bbr_draft_06_ack ack = {event->t_ns,
                                       event->bytes,
                                       event->bytes_in_flight,
                                       event->latest_rtt_ns,
                                       event->min_rtt_ns,
                                       event->smoothed_rtt_ns,
                                       newest_sent_ns(event),
                                       event->rate_delivered_bytes,
                                       event->rate_interval_ns,
                                       event->rate_prior_delivered_bytes,
                                       event->rate_in_flight_bytes,
                                       event->rate_lost_bytes,
                                       event->rate_app_limited != 0};
        return header_on_ack(&ack);
    }
    case LOST: return on_lost(event);
    case CE: return (int)bbr_draft_06_on_congestion(&bbr, event->sent_t_ns, event->t_ns);
    case PERSISTENT_CONGESTION: return (int)bbr_draft_06_on_enter_rto(&bbr, event->t_ns);
    case SPURIOUS_LOSS: return (int)bbr_draft_06_handle_spurious_loss_detection(&bbr);
    case DATAGRAM_SIZE:
        return (int)bbr_draft_06_on_datagram_size(&bbr, (uint32_t)event->max_datagram_size_bytes, event->handshake != 0);
    default: return (int)BBR_DRAFT_06_UNCHANGED;
    }
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    static const char phases[4][16] = {"startup", "drain", "probe_bw"};
    int outcome = on_event(event);
    struct drive_answer answer = {"bbr_draft_06", outcome, bbr.cwnd, DRIVE_NONE, bbr.next_release_ns, 0, phases[bbr.phase & 3]};
    return answer;
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return bbr_draft_06_invariant(&bbr);
}
