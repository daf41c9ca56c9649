/*
 * The state of Careful Resume (spec/careful-resume/rules.md, section State), and functions shared by its phases.
 *
 * The functions of this package change the state and the base controller in place and return a report. They do not
 * check their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_STATE_H
#define FIRSTFLIGHT_CAREFUL_RESUME_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/careful_resume/profiles.h"
#include "firstflight/events.h"
#include "firstflight/limits.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Data of a path that is saved between connections; at most one set for a Remote Endpoint. */
struct ff_careful_resume_saved_set {
    uint64_t cwnd_bytes; /* 0 without a set */
    uint64_t rtt_ns;
    bool in_use;
};

/* Packet numbers, FF_NO_PACKET until set. */
struct ff_careful_resume_marks {
    uint64_t sent;  /* the highest packets sent and acknowledged */
    uint64_t acked;
    uint64_t first_unvalidated;
    uint64_t last_unvalidated;
};

/* The initial data: packets first..last, last being FF_NO_PACKET until one of them is acknowledged. */
struct ff_careful_resume_initial {
    uint64_t first;
    uint64_t last;
    uint64_t left_bytes; /* sent and not acknowledged */
};

/* RTTs, FF_NO_RTT_NS before the first sample; phase_...: since Reconnaissance began. */
struct ff_careful_resume_rtt {
    uint64_t latest_ns;
    uint64_t smoothed_ns;
    uint64_t minimum_ns;
    uint64_t phase_first_ns;
    uint64_t phase_minimum_ns;
};

/* Packets are released at t_ns plus the time that `bytes` take at the jump per rtt_ns. */
struct ff_careful_resume_schedule {
    uint64_t t_ns;
    uint64_t bytes;
    uint64_t rtt_ns;
};

/* A round trip of normal congestion control. */
struct ff_careful_resume_round {
    uint64_t next_first; /* the packet whose ACK ends it; FF_NO_PACKET before the first */
    uint64_t bytes;
    bool limited;
};

struct ff_careful_resume {
    enum ff_phase phase;
    uint64_t initial_window_bytes;
    struct ff_saved_path used;  /* the saved set in use or already used; saved_cwnd_bytes is 0 before */
    struct ff_careful_resume_saved_set saved;  /* the set to save now */
    uint64_t flight_bytes;
    uint64_t backlog_bytes;
    struct ff_careful_resume_marks marks;
    struct ff_careful_resume_initial initial;
    struct ff_careful_resume_rtt rtt;
    uint64_t jump_bytes;             /* 0 before a jump */
    uint64_t pipesize_bytes;
    uint64_t limit_from_ns;          /* start of the time limit of the Unvalidated phase */
    uint64_t unvalidated_left_bytes; /* bytes sent in that phase, neither acknowledged nor lost */
    struct ff_careful_resume_schedule schedule;
    struct ff_careful_resume_round round_trip;
};

/* Result of normal congestion control for an event. */
struct ff_careful_resume_normal {
    struct ff_base_state base;
    enum ff_outcome outcome;
    uint64_t bin; /* bin of SEARCH; FF_NONE without SEARCH, like open_bin_bytes */
    uint64_t open_bin_bytes;
};

/* Report of an event. */
struct ff_careful_resume_report {
    enum ff_outcome outcome;
    enum ff_trigger trigger; /* trigger of a phase change */
};

/* Accept the result of normal congestion control for the event. */
struct ff_careful_resume_report ff_careful_resume_take_normal(struct ff_base_state *base,
                                                              const struct ff_careful_resume_normal *normal);

/* Return a sum of bytes, at most the largest window. */
uint64_t ff_careful_resume_saturated(uint64_t total_bytes);

/* Return value * factor / divisor, rounded down or up, UINT64_MAX if it does not fit. The divisor is at least 1. */
uint64_t ff_careful_resume_share(uint64_t value, uint64_t factor, uint64_t divisor, bool up);

/* Return the higher of a mark, if it is set, and a packet. */
uint64_t ff_careful_resume_highest(uint64_t mark, uint64_t packet);

/* Return whether a mark is set and at least `packet`, which must be set too. */
bool ff_careful_resume_reached(uint64_t mark, uint64_t packet);

/* Return the bytes of the runs in the packets first..last. */
uint64_t ff_careful_resume_bytes_between(const struct ff_run *runs, size_t run_count, uint64_t first, uint64_t last);

/* Subtract the packets of the Unvalidated phase from unvalidated_left_bytes; return their bytes. */
uint64_t ff_careful_resume_take_unvalidated(struct ff_careful_resume *state, const struct ff_run *runs, size_t run_count);

/* Count newly acknowledged packets in PipeSize. */
void ff_careful_resume_acknowledge(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                   const struct ff_ack *ack);

/* End Careful Resume for good: the saved set is free again, and observing may begin. */
void ff_careful_resume_end(struct ff_careful_resume *state);

/* Return whether an RTT indicates a shorter path than the saved path; false for FF_NO_RTT_NS. */
bool ff_careful_resume_rtt_too_low(const struct ff_careful_resume_readings *readings, uint64_t rtt_ns,
                                   const struct ff_saved_path *used);

/* Return whether an RTT indicates a longer path than the saved path; false for FF_NO_RTT_NS. */
bool ff_careful_resume_rtt_too_high(uint64_t rtt_ns, const struct ff_saved_path *used);

#ifdef __cplusplus
}
#endif

#endif
