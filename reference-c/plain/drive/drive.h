/*
 * What a plain header is judged by: events of the project's alphabet (spec/events.md) and the answers to them. For each header NAME.h there
 * is a NAME.c here that calls it as its comment tells a stack to. C11 and C++17.
 */
#ifndef PLAIN_DRIVE_H
#define PLAIN_DRIVE_H

#include <stddef.h>
#include <stdint.h>

#define DRIVE_NONE UINT64_MAX /* where the event has none */
#define DRIVE_RUNS 65536

/* What is measured is not inlined. */
#define DRIVE_MEASURED __attribute__((noinline))

enum drive_kind { SENT, ACK, LOST, CE, PERSISTENT_CONGESTION, PTO, BACKLOG, IDLE_RESTART, SAVED_PATH, PATH_CHANGE, SPURIOUS_LOSS };

struct drive_run {
    uint64_t first, last, size_bytes, sent_t_ns;
};

struct drive_event {
    enum drive_kind kind;
    uint64_t t_ns, bytes, bytes_in_flight, app_limited, next_packet, latest_rtt_ns, min_rtt_ns, smoothed_rtt_ns, oldest_unacked_packet;
    uint64_t packet, sent_t_ns, queued_bytes, receive_window_bytes;
    uint64_t saved_cwnd_bytes, saved_rtt_ns, endpoint_matches, in_use, expires_t_ns, max_jump_bytes, beta_numerator, beta_denominator;
    uint64_t run_count, retransmit_count;
    struct drive_run runs[DRIVE_RUNS];
    struct drive_run retransmits[DRIVE_RUNS]; /* first and last */
};

/* outcome: a number of the enumeration of the header that it is from. triggers: bits. next_release_ns: DRIVE_NONE for none. */
struct drive_answer {
    const char *header;
    int outcome;
    uint64_t cwnd_bytes, ssthresh_bytes, next_release_ns, triggers;
    const char *phase;
};

/* Of the header under test. */
extern const size_t drive_state_bytes;
void drive_begin(uint32_t max_datagram_size, uint64_t initial_window);
struct drive_answer drive_on_event(const struct drive_event *event);
/* Whether the invariant holds after the event. */
int drive_holds(const struct drive_event *event);

#endif
