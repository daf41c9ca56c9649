/* Readings and profiles of HyStart++. Generated from spec/hystartpp/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_HYSTARTPP_PROFILES_H
#define FIRSTFLIGHT_HYSTARTPP_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many RTT samples of a round are needed before slow start may resume? (H2) */
enum {
    FF_HYSTARTPP_CSS_SAMPLES_EIGHT = 0, /* eight, as in slow start */
    FF_HYSTARTPP_CSS_SAMPLES_ANY = 1, /* one */
};

/* In which slow starts does HyStart++ run? (H4) */
enum {
    FF_HYSTARTPP_SCOPE_INITIAL = 0, /* in the first one, while the threshold is infinite */
    FF_HYSTARTPP_SCOPE_EVERY = 1, /* in every one; persistent congestion begins anew */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_hystartpp_readings {
    uint8_t limit_datagrams;
    uint8_t css_samples;
    uint8_t css_rounds;
    uint8_t scope;
};

struct ff_hystartpp_profile {
    const char *name;
    struct ff_hystartpp_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_HYSTARTPP_PROFILE_RFC_9406 = 0,
    FF_HYSTARTPP_PROFILE_RFC_9406_UNPACED = 1,
    FF_HYSTARTPP_PROFILE_NGTCP2 = 2,
};

#define FF_HYSTARTPP_PROFILE_COUNT 3
extern const struct ff_hystartpp_profile ff_hystartpp_profiles[FF_HYSTARTPP_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
