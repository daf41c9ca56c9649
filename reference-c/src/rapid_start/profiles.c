/* Readings and profiles of Rapid Start. Generated from spec/profiles/rapid-start.toml by `make generate`; do not edit. */
#include "firstflight/rapid_start/profiles.h"

const struct ff_rapid_start_profile ff_rapid_start_profiles[FF_RAPID_START_PROFILE_COUNT] = {
    {
        "draft-02",
        {
            .factor_k = FF_RAPID_START_FACTOR_K_TWO_THIRDS,
            .beta = FF_RAPID_START_BETA_BASE,
            .queue_threshold = FF_RAPID_START_QUEUE_THRESHOLD_SMALLER,
            .rtt_floor = FF_RAPID_START_RTT_FLOOR_ROUND,
            .tiny_rtt = FF_RAPID_START_TINY_RTT_KEPT,
            .growth = FF_RAPID_START_GROWTH_BYTES,
            .counted_losses = FF_RAPID_START_COUNTED_LOSSES_ALL,
            .ending_ack = FF_RAPID_START_ENDING_ACK_COUNTED,
            .late_losses = FF_RAPID_START_LATE_LOSSES_NOT_COUNTED,
            .lower_bound = FF_RAPID_START_LOWER_BOUND_THIRD,
            .ssthresh = FF_RAPID_START_SSTHRESH_FOLLOWS,
        },
    },
    {
        "draft-02-initial",
        {
            .factor_k = FF_RAPID_START_FACTOR_K_TWO_THIRDS,
            .beta = FF_RAPID_START_BETA_BASE,
            .queue_threshold = FF_RAPID_START_QUEUE_THRESHOLD_SMALLER,
            .rtt_floor = FF_RAPID_START_RTT_FLOOR_ROUND,
            .tiny_rtt = FF_RAPID_START_TINY_RTT_KEPT,
            .growth = FF_RAPID_START_GROWTH_BYTES,
            .counted_losses = FF_RAPID_START_COUNTED_LOSSES_ALL,
            .ending_ack = FF_RAPID_START_ENDING_ACK_COUNTED,
            .late_losses = FF_RAPID_START_LATE_LOSSES_NOT_COUNTED,
            .lower_bound = FF_RAPID_START_LOWER_BOUND_THIRD_OR_INITIAL,
            .ssthresh = FF_RAPID_START_SSTHRESH_FOLLOWS,
        },
    },
    {
        "draft-00",
        {
            .factor_k = FF_RAPID_START_FACTOR_K_ELEVEN_EIGHTEENTHS,
            .beta = FF_RAPID_START_BETA_BASE,
            .queue_threshold = FF_RAPID_START_QUEUE_THRESHOLD_SMALLER,
            .rtt_floor = FF_RAPID_START_RTT_FLOOR_QUARTERS,
            .tiny_rtt = FF_RAPID_START_TINY_RTT_KEPT,
            .growth = FF_RAPID_START_GROWTH_BYTES,
            .counted_losses = FF_RAPID_START_COUNTED_LOSSES_ALL,
            .ending_ack = FF_RAPID_START_ENDING_ACK_COUNTED,
            .late_losses = FF_RAPID_START_LATE_LOSSES_NOT_COUNTED,
            .lower_bound = FF_RAPID_START_LOWER_BOUND_THIRD,
            .ssthresh = FF_RAPID_START_SSTHRESH_FOLLOWS,
        },
    },
    {
        "quicly",
        {
            .factor_k = FF_RAPID_START_FACTOR_K_ELEVEN_EIGHTEENTHS,
            .beta = FF_RAPID_START_BETA_SEVEN_TENTHS,
            .queue_threshold = FF_RAPID_START_QUEUE_THRESHOLD_LARGER,
            .rtt_floor = FF_RAPID_START_RTT_FLOOR_QUARTERS_USED,
            .tiny_rtt = FF_RAPID_START_TINY_RTT_ORDINARY,
            .growth = FF_RAPID_START_GROWTH_DATAGRAMS,
            .counted_losses = FF_RAPID_START_COUNTED_LOSSES_AFTER_FIRST,
            .ending_ack = FF_RAPID_START_ENDING_ACK_AS_A_WHOLE,
            .late_losses = FF_RAPID_START_LATE_LOSSES_COUNTED,
            .lower_bound = FF_RAPID_START_LOWER_BOUND_THIRD_OR_HALF_INITIAL,
            .ssthresh = FF_RAPID_START_SSTHRESH_AT_SIGNALS,
        },
    },
};
