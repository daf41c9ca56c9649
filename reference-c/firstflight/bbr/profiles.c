/* Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit. */
#include "firstflight/bbr/profiles.h"

const struct ff_bbr_profile ff_bbr_profiles[FF_BBR_PROFILE_COUNT] = {
    {"draft-06",
     {.growth_of = FF_BBR_GROWTH_OF_SAMPLE, .initial_rate = FF_BBR_INITIAL_RATE_FIRST_SAMPLE, .offload_quanta = 1,
      .drain_rounds = FF_BBR_DRAIN_ROUNDS_FOURTH, .drain_cap = FF_BBR_DRAIN_CAP_SHORT_TERM,
      .saved = FF_BBR_SAVED_ROUNDS, .loss_exit_count = 6}},
    {"draft-06-prose",
     {.growth_of = FF_BBR_GROWTH_OF_SAMPLE, .initial_rate = FF_BBR_INITIAL_RATE_FIRST_SAMPLE, .offload_quanta = 1,
      .drain_rounds = FF_BBR_DRAIN_ROUNDS_THIRD, .drain_cap = FF_BBR_DRAIN_CAP_BOTH, .saved = FF_BBR_SAVED_EPISODES,
      .loss_exit_count = 6}},
};
