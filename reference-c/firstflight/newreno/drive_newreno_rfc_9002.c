#include "base.h"
#include "newreno_rfc_9002_invariant.h"

const size_t drive_state_bytes = sizeof base;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
}

struct drive_answer drive_on_event(const struct drive_event *event) { return base_on_event(event); }

int drive_holds(const struct drive_event *event) {
    (void)event;
    return newreno_rfc_9002_invariant(&base);
}
