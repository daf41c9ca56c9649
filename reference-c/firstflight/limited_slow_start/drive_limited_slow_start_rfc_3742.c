#include "limited_slow_start_rfc_3742.h"
#include "base.h"
#include "limited_slow_start_rfc_3742_invariant.h"

static struct limited_slow_start_rfc_3742 limited;
const size_t drive_state_bytes = sizeof limited;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    limited_slow_start_rfc_3742_begin(&limited, max_datagram_size);
}

DRIVE_MEASURED static int header_on_ack(int app_limited, uint64_t *cwnd) {
    return (int)limited_slow_start_rfc_3742_on_ack(&limited, app_limited, cwnd);
}

static int in_slow_start(void) {
    return limited_slow_start_rfc_3742_in_slow_start(base.congestion_window, base.ssthresh);
}

/* The header determines the phase if the window equals the threshold. */
static struct drive_answer in_phase(struct drive_answer answer) {
    if (!base.in_recovery && in_slow_start())
        answer.phase = "slow_start";
    return answer;
}

/* End recovery like the base controller; return whether the ACK is for packets that may grow the window. */
static int counts(const struct drive_event *event) {
    int later = !newreno_rfc_9002_in_congestion_recovery(&base, latest_sent(event));
    if (later)
        base.in_recovery = 0;
    return later || event->app_limited;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == ACK && in_slow_start() && counts(event)) {
        uint64_t cwnd = base.congestion_window;
        int outcome = header_on_ack(event->app_limited != 0, &cwnd);
        set_window(cwnd);
        return in_phase(answer_of("limited_slow_start_rfc_3742", outcome));
    }
    return in_phase(base_on_event(event));
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return limited_slow_start_rfc_3742_invariant(&limited);
}
