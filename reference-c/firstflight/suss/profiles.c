/* Readings and profiles of SUSS. Generated from spec/suss/profiles.toml by `make generate`; do not edit. */
#include "firstflight/suss/profiles.h"

const struct ff_suss_profile ff_suss_profiles[FF_SUSS_PROFILE_COUNT] = {
    {"linux-6-8",
     {.rounds = FF_SUSS_ROUNDS_EVERY_WINDOW, .red = FF_SUSS_RED_ROUND, .guard = FF_SUSS_GUARD_DIFFERENCE}},
    {"linux-5-19",
     {.rounds = FF_SUSS_ROUNDS_SIXTEEN, .red = FF_SUSS_RED_JUMPS, .guard = FF_SUSS_GUARD_HALVES}},
};
