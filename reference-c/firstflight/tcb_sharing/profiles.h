/* Readings and profiles of TCB sharing. Generated from spec/tcb-sharing/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_TCB_SHARING_PROFILES_H
#define FIRSTFLIGHT_TCB_SHARING_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which window does a connection begin with? (T1) */
enum {
    FF_TCB_SHARING_WINDOW_SAVED = 0, /* the cached one */
    FF_TCB_SHARING_WINDOW_HALF = 1, /* half of the cached one */
    FF_TCB_SHARING_WINDOW_DATAGRAMS = 2, /* the whole datagrams of the cached one if they are more than ten, paced over the cached RTT */
    FF_TCB_SHARING_WINDOW_INITIAL = 3, /* the initial window */
};

/* Which slow start threshold does a connection with cached values begin with? (T2) */
enum {
    FF_TCB_SHARING_THRESHOLD_SAVED = 0, /* the cached one */
    FF_TCB_SHARING_THRESHOLD_TWO_DATAGRAMS = 1, /* the cached one, and at least two datagrams */
    FF_TCB_SHARING_THRESHOLD_INFINITE = 2, /* none */
};

/* May a connection use a saved set that another connection uses? (T3) */
enum {
    FF_TCB_SHARING_CONCURRENT_REFUSED = 0, /* no */
    FF_TCB_SHARING_CONCURRENT_SHARED = 1, /* yes, as any other */
};

/* May a connection use a saved set after its Lifetime? (T4) */
enum {
    FF_TCB_SHARING_LIFETIME_CHECKED = 0, /* no */
    FF_TCB_SHARING_LIFETIME_IGNORED = 1, /* yes: nothing expires */
};

/* Which window does a connection leave in the cache when it closes? (T5) */
enum {
    FF_TCB_SHARING_MERGE_MEAN = 0, /* the mean of the cached value and the value of the connection */
    FF_TCB_SHARING_MERGE_LINUX = 1, /* values that depend on the phase at the close */
    FF_TCB_SHARING_MERGE_NONE = 2, /* values that the events do not determine */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_tcb_sharing_readings {
    uint8_t window;
    uint8_t threshold;
    uint8_t concurrent;
    uint8_t lifetime;
    uint8_t merge;
};

struct ff_tcb_sharing_profile {
    const char *name;
    struct ff_tcb_sharing_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_TCB_SHARING_PROFILE_RFC_9040 = 0,
    FF_TCB_SHARING_PROFILE_LINUX = 1,
    FF_TCB_SHARING_PROFILE_FREEBSD = 2,
    FF_TCB_SHARING_PROFILE_FREEBSD_WINDOW = 3,
    FF_TCB_SHARING_PROFILE_STATEFUL_TCP = 4,
};

#define FF_TCB_SHARING_PROFILE_COUNT 5
extern const struct ff_tcb_sharing_profile ff_tcb_sharing_profiles[FF_TCB_SHARING_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
