/* Readings and profiles of Careful Resume. Generated from spec/careful-resume/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_PROFILES_H
#define FIRSTFLIGHT_CAREFUL_RESUME_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which acknowledged packets increase PipeSize, the validated capacity in bytes? (A1) */
enum {
    FF_CAREFUL_RESUME_PIPESIZE_COUNTS_ALL = 0, /* every packet */
    FF_CAREFUL_RESUME_PIPESIZE_COUNTS_UNVALIDATED = 1, /* only packets sent in the Unvalidated phase */
};

/* What is PipeSize, the validated capacity, on entry to the Unvalidated phase? (A2) */
enum {
    FF_CAREFUL_RESUME_PIPESIZE_START_FLIGHT = 0, /* the bytes in flight */
    FF_CAREFUL_RESUME_PIPESIZE_START_WINDOW = 1, /* the congestion window before the jump */
};

/* What happens if the jump window is not larger than the congestion window? (A4) */
enum {
    FF_CAREFUL_RESUME_JUMP_NOT_LARGER_STOP = 0, /* Careful Resume ends, the window stays */
    FF_CAREFUL_RESUME_JUMP_NOT_LARGER_JUMP = 1, /* the window becomes the jump, though it shrinks */
};

/* Does an RTT of exactly half the saved one stop Careful Resume? (A5) */
enum {
    FF_CAREFUL_RESUME_RTT_LOW_AT_HALF = 0, /* yes */
    FF_CAREFUL_RESUME_RTT_LOW_BELOW_HALF = 1, /* no, only a smaller one */
};

/* Which RTT is compared with the saved one in Reconnaissance? (A7) */
enum {
    FF_CAREFUL_RESUME_RTT_MEASURED_MINIMUM = 0, /* the minimum of the phase below, the latest sample above */
    FF_CAREFUL_RESUME_RTT_MEASURED_FIRST = 1, /* the first sample of the phase, once */
};

/* What confirms the path of a saved set: the ACK of all initial data, or an RTT sample? (A8) */
enum {
    FF_CAREFUL_RESUME_INITIAL_DATA_ALL = 0, /* every packet sent before the first acknowledgement of one of them is acknowledged */
    FF_CAREFUL_RESUME_INITIAL_DATA_NONE = 1, /* an RTT sample */
};

/* How long may the Unvalidated phase last? (A12) */
enum {
    FF_CAREFUL_RESUME_LIMIT_RTT_LATEST = 0, /* the latest RTT sample */
    FF_CAREFUL_RESUME_LIMIT_RTT_SMOOTHED = 1, /* the smoothed RTT */
    FF_CAREFUL_RESUME_LIMIT_RTT_MINIMUM = 2, /* the minimum RTT */
};

/* On which events is the time limit of the Unvalidated phase checked? (A12) */
enum {
    FF_CAREFUL_RESUME_LIMIT_CHECKED_EVERY_EVENT = 0, /* on every event */
    FF_CAREFUL_RESUME_LIMIT_CHECKED_ACKS = 1, /* on acknowledgements only */
};

/* When is the jump, the window that the Unvalidated phase sends, used up? (A13) */
enum {
    FF_CAREFUL_RESUME_WINDOW_FULL_DATAGRAM = 0, /* when there is room for less than a datagram */
    FF_CAREFUL_RESUME_WINDOW_FULL_EXACT = 1, /* when the bytes in flight reach the window */
};

/* At which bytes in flight does Careful Resume end because too little of the jump was used? (A16) */
enum {
    FF_CAREFUL_RESUME_FLIGHT_CHECK_BOTH = 0, /* bytes in flight below the initial window, or no more than PipeSize */
    FF_CAREFUL_RESUME_FLIGHT_CHECK_PIPESIZE = 1, /* bytes in flight no more than PipeSize; the window is then PipeSize without a floor */
};

/* What is the minimum window on entry to Safe Retreat? (A19) */
enum {
    FF_CAREFUL_RESUME_RETREAT_FLOOR_TWO_DATAGRAMS = 0, /* two datagrams */
    FF_CAREFUL_RESUME_RETREAT_FLOOR_INITIAL_WINDOW = 1, /* the initial window */
};

/* When does Safe Retreat end? (A21) */
enum {
    FF_CAREFUL_RESUME_RETREAT_END_LAST_UNVALIDATED = 0, /* when the last unvalidated packet or a later one is acknowledged */
    FF_CAREFUL_RESUME_RETREAT_END_NONE_OUTSTANDING = 1, /* when every unvalidated packet is acknowledged or lost */
};

/* What does congestion do in Safe Retreat? (A23) */
enum {
    FF_CAREFUL_RESUME_RETREAT_CONGESTION_ABSORBED = 0, /* no effect */
    FF_CAREFUL_RESUME_RETREAT_CONGESTION_REDUCES = 1, /* the window is halved again */
};

/* Which quantity is saved as the capacity of the path? (A32) */
enum {
    FF_CAREFUL_RESUME_OBSERVED_ACKNOWLEDGED = 0, /* the bytes acknowledged in a round trip */
    FF_CAREFUL_RESUME_OBSERVED_WINDOW = 1, /* the congestion window at the end of a round trip */
};

/* What does a change of the path do in the Validating phase? (A33) */
enum {
    FF_CAREFUL_RESUME_PATH_VALIDATING_IGNORED = 0, /* no effect */
    FF_CAREFUL_RESUME_PATH_VALIDATING_RETREATS = 1, /* Safe Retreat begins */
};

/* May the window jump if slow start has ended in Reconnaissance without congestion? (A36) */
enum {
    FF_CAREFUL_RESUME_THRESHOLD_SET_JUMPS = 0, /* yes */
    FF_CAREFUL_RESUME_THRESHOLD_SET_STOPS = 1, /* no, Careful Resume ends */
};

/* Does a window equal to the threshold count as slow start? (A39) */
enum {
    FF_CAREFUL_RESUME_AT_THRESHOLD_SLOW_START = 0, /* yes */
    FF_CAREFUL_RESUME_AT_THRESHOLD_AVOIDANCE = 1, /* no */
};

/* Which algorithm ends slow start? (A40) */
enum {
    FF_CAREFUL_RESUME_SEARCH_NONE = 0, /* none: only congestion does */
    FF_CAREFUL_RESUME_SEARCH_LANMAN_2024 = 1, /* SEARCH in the profile lanman-2024 */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_careful_resume_readings {
    uint8_t pipesize_counts;
    uint8_t pipesize_start;
    uint8_t jump_not_larger;
    uint8_t rtt_low;
    uint8_t rtt_measured;
    uint8_t initial_data;
    uint8_t limit_rtt;
    uint8_t limit_checked;
    uint8_t window_full;
    uint8_t flight_check;
    uint8_t retreat_floor;
    uint8_t retreat_end;
    uint8_t retreat_congestion;
    uint8_t observed;
    uint8_t path_validating;
    uint8_t threshold_set;
    uint8_t at_threshold;
    uint8_t search;
};

struct ff_careful_resume_profile {
    const char *name;
    struct ff_careful_resume_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_CAREFUL_RESUME_PROFILE_RFC_9959 = 0,
    FF_CAREFUL_RESUME_PROFILE_RFC_9959_UNVALIDATED = 1,
    FF_CAREFUL_RESUME_PROFILE_RFC_9959_SEARCH = 2,
    FF_CAREFUL_RESUME_PROFILE_DRAFT_10 = 3,
};

#define FF_CAREFUL_RESUME_PROFILE_COUNT 4
extern const struct ff_careful_resume_profile ff_careful_resume_profiles[FF_CAREFUL_RESUME_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
