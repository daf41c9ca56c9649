/* Readings and profiles of HyStart. Generated from spec/hystart/profiles.toml by `make generate`; do not edit. */
#include "firstflight/hystart/profiles.h"

const struct ff_hystart_profile ff_hystart_profiles[FF_HYSTART_PROFILE_COUNT] = {
    {"linux",
     {.ack_train = FF_HYSTART_ACK_TRAIN_ON, .train_threshold = FF_HYSTART_TRAIN_THRESHOLD_HALF,
      .boundary_ack = FF_HYSTART_BOUNDARY_ACK_NEXT, .decision = FF_HYSTART_DECISION_AFTER_EIGHT,
      .low_window = FF_HYSTART_LOW_WINDOW_DETECTION, .rtt = FF_HYSTART_RTT_LATEST, .clock = FF_HYSTART_CLOCK_US,
      .restart = FF_HYSTART_RESTART_EVERYTHING}},
    {"linux-paced",
     {.ack_train = FF_HYSTART_ACK_TRAIN_ON, .train_threshold = FF_HYSTART_TRAIN_THRESHOLD_WHOLE,
      .boundary_ack = FF_HYSTART_BOUNDARY_ACK_NEXT, .decision = FF_HYSTART_DECISION_AFTER_EIGHT,
      .low_window = FF_HYSTART_LOW_WINDOW_DETECTION, .rtt = FF_HYSTART_RTT_LATEST, .clock = FF_HYSTART_CLOCK_US,
      .restart = FF_HYSTART_RESTART_EVERYTHING}},
    {"linux-5-16",
     {.ack_train = FF_HYSTART_ACK_TRAIN_ON, .train_threshold = FF_HYSTART_TRAIN_THRESHOLD_HALF,
      .boundary_ack = FF_HYSTART_BOUNDARY_ACK_NEXT, .decision = FF_HYSTART_DECISION_AFTER_EIGHT,
      .low_window = FF_HYSTART_LOW_WINDOW_EVERYTHING, .rtt = FF_HYSTART_RTT_LATEST, .clock = FF_HYSTART_CLOCK_US,
      .restart = FF_HYSTART_RESTART_EVERYTHING}},
    {"google-quic",
     {.ack_train = FF_HYSTART_ACK_TRAIN_OFF, .train_threshold = FF_HYSTART_TRAIN_THRESHOLD_HALF,
      .boundary_ack = FF_HYSTART_BOUNDARY_ACK_ENDED, .decision = FF_HYSTART_DECISION_EIGHTH,
      .low_window = FF_HYSTART_LOW_WINDOW_EXIT, .rtt = FF_HYSTART_RTT_LESS_ACK_DELAY, .clock = FF_HYSTART_CLOCK_NS,
      .restart = FF_HYSTART_RESTART_ROUNDS}},
};
