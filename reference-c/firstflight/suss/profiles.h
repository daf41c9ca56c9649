/* Readings and profiles of SUSS. Generated from spec/suss/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_SUSS_PROFILES_H
#define FIRSTFLIGHT_SUSS_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From which window on does HyStart count rounds and test the delay? (V1) */
enum {
    FF_SUSS_ROUNDS_EVERY_WINDOW = 0, /* from any */
    FF_SUSS_ROUNDS_SIXTEEN = 1, /* from 16 datagrams on */
};

/* For how many doublings of the window does a round send additional, paced (red) packets? (V2) */
enum {
    FF_SUSS_RED_ROUND = 0, /* as many as there were rounds */
    FF_SUSS_RED_JUMPS = 1, /* one more than there were sped up rounds */
};

/* At which step is the guard interval (wait before pacing) rounded down to microseconds? (V3) */
enum {
    FF_SUSS_GUARD_DIFFERENCE = 0, /* after the train has been subtracted */
    FF_SUSS_GUARD_HALVES = 1, /* in the halves of the interval and of the train */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_suss_readings {
    uint8_t rounds;
    uint8_t red;
    uint8_t guard;
};

struct ff_suss_profile {
    const char *name;
    struct ff_suss_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_SUSS_PROFILE_LINUX_6_8 = 0,
    FF_SUSS_PROFILE_LINUX_5_19 = 1,
};

#define FF_SUSS_PROFILE_COUNT 2
extern const struct ff_suss_profile ff_suss_profiles[FF_SUSS_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
