/* Readings and profiles of NewReno. Generated from spec/slow-start/profiles.toml by `make generate`; do not edit. */
#include "firstflight/newreno/profiles.h"

const struct ff_newreno_profile ff_newreno_profiles[FF_NEWRENO_PROFILE_COUNT] = {
    {"rfc-9002",
     {.growth = FF_NEWRENO_GROWTH_BYTES}},
    {"ack-counting",
     {.growth = FF_NEWRENO_GROWTH_ACKS}},
};
