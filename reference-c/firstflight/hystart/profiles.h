/* Readings and profiles of HyStart. Generated from spec/hystart/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_HYSTART_PROFILES_H
#define FIRSTFLIGHT_HYSTART_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is the length of ACK trains watched? (Y1) */
enum {
    FF_HYSTART_ACK_TRAIN_ON = 0, /* yes */
    FF_HYSTART_ACK_TRAIN_OFF = 1, /* no */
};

/* How long may a train of ACKs become? (Y2) */
enum {
    FF_HYSTART_TRAIN_THRESHOLD_HALF = 0, /* half of the minimum RTT and the margin */
    FF_HYSTART_TRAIN_THRESHOLD_WHOLE = 1, /* all of it */
};

/* Does the ACK that ends a round belong to this round or to the next? (Y4) */
enum {
    FF_HYSTART_BOUNDARY_ACK_NEXT = 0, /* to the next, which it begins */
    FF_HYSTART_BOUNDARY_ACK_ENDED = 1, /* to the one that it ends; the next ACK begins another */
};

/* When is the RTT of a round compared with the threshold above the minimum RTT? (Y5) */
enum {
    FF_HYSTART_DECISION_AFTER_EIGHT = 0, /* at every sample after the eighth */
    FF_HYSTART_DECISION_EIGHTH = 1, /* at the eighth sample only */
};

/* What does a window of less than 16 datagrams prevent? (Y6) */
enum {
    FF_HYSTART_LOW_WINDOW_DETECTION = 0, /* taking samples and watching trains */
    FF_HYSTART_LOW_WINDOW_EVERYTHING = 1, /* that, and beginning rounds */
    FF_HYSTART_LOW_WINDOW_EXIT = 2, /* leaving slow start at the ACK that finds the delay */
};

/* Which RTT is a sample? (Y7) */
enum {
    FF_HYSTART_RTT_LATEST = 0, /* the latest RTT */
    FF_HYSTART_RTT_LESS_ACK_DELAY = 1, /* the latest RTT less the acknowledgement delay, where that does not fall below the minimum */
};

/* In which unit does the sender store times and RTTs? (Y8) */
enum {
    FF_HYSTART_CLOCK_US = 0, /* microseconds, rounded down */
    FF_HYSTART_CLOCK_NS = 1, /* nanoseconds */
};

/* What does persistent congestion reset? (Y9) */
enum {
    FF_HYSTART_RESTART_EVERYTHING = 0, /* the rounds, and the minimum RTT */
    FF_HYSTART_RESTART_ROUNDS = 1, /* the rounds */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_hystart_readings {
    uint8_t ack_train;
    uint8_t train_threshold;
    uint8_t boundary_ack;
    uint8_t decision;
    uint8_t low_window;
    uint8_t rtt;
    uint8_t clock;
    uint8_t restart;
};

struct ff_hystart_profile {
    const char *name;
    struct ff_hystart_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_HYSTART_PROFILE_LINUX = 0,
    FF_HYSTART_PROFILE_LINUX_PACED = 1,
    FF_HYSTART_PROFILE_LINUX_5_16 = 2,
    FF_HYSTART_PROFILE_GOOGLE_QUIC = 3,
};

#define FF_HYSTART_PROFILE_COUNT 4
extern const struct ff_hystart_profile ff_hystart_profiles[FF_HYSTART_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
