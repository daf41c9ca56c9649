#include "../limited_slow_start_rfc_3742.h"
#include "base.h"
#include "limited_slow_start_rfc_3742_invariant.h"

static struct limited_slow_start_rfc_3742 limited;
const size_t drive_state_bytes = sizeof limited;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    limited_slow_start_rfc_3742_begin(&limited, max_datagram_size);
}

DRIVE_MEASURED static int header_on_ack(uint64_t bytes, int app_limited, uint64_t *cwnd) {
    return (int)limited_slow_start_rfc_3742_on_ack(&limited, bytes, app_limited, cwnd);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == ACK && !base.in_recovery && newreno_rfc_9002_in_slow_start(&base)) {
        uint64_t cwnd = base.congestion_window;
        int outcome = header_on_ack(event->bytes, event->app_limited != 0, &cwnd);
        set_window(cwnd);
        return answer_of("limited_slow_start_rfc_3742", outcome);
    }
    return base_on_event(event);
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return limited_slow_start_rfc_3742_invariant(&limited);
}
