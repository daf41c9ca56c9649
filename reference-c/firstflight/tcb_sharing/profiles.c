/* Readings and profiles of TCB sharing. Generated from spec/tcb-sharing/profiles.toml by `make generate`; do not edit. */
#include "firstflight/tcb_sharing/profiles.h"

const struct ff_tcb_sharing_profile ff_tcb_sharing_profiles[FF_TCB_SHARING_PROFILE_COUNT] = {
    {"rfc-9040",
     {.window = FF_TCB_SHARING_WINDOW_SAVED, .threshold = FF_TCB_SHARING_THRESHOLD_SAVED,
      .concurrent = FF_TCB_SHARING_CONCURRENT_REFUSED, .lifetime = FF_TCB_SHARING_LIFETIME_CHECKED,
      .merge = FF_TCB_SHARING_MERGE_MEAN}},
    {"linux",
     {.window = FF_TCB_SHARING_WINDOW_INITIAL, .threshold = FF_TCB_SHARING_THRESHOLD_SAVED,
      .concurrent = FF_TCB_SHARING_CONCURRENT_SHARED, .lifetime = FF_TCB_SHARING_LIFETIME_CHECKED,
      .merge = FF_TCB_SHARING_MERGE_LINUX}},
    {"freebsd",
     {.window = FF_TCB_SHARING_WINDOW_INITIAL, .threshold = FF_TCB_SHARING_THRESHOLD_TWO_DATAGRAMS,
      .concurrent = FF_TCB_SHARING_CONCURRENT_SHARED, .lifetime = FF_TCB_SHARING_LIFETIME_CHECKED,
      .merge = FF_TCB_SHARING_MERGE_MEAN}},
    {"freebsd-window",
     {.window = FF_TCB_SHARING_WINDOW_HALF, .threshold = FF_TCB_SHARING_THRESHOLD_TWO_DATAGRAMS,
      .concurrent = FF_TCB_SHARING_CONCURRENT_SHARED, .lifetime = FF_TCB_SHARING_LIFETIME_CHECKED,
      .merge = FF_TCB_SHARING_MERGE_MEAN}},
    {"stateful-tcp",
     {.window = FF_TCB_SHARING_WINDOW_DATAGRAMS, .threshold = FF_TCB_SHARING_THRESHOLD_INFINITE,
      .concurrent = FF_TCB_SHARING_CONCURRENT_SHARED, .lifetime = FF_TCB_SHARING_LIFETIME_IGNORED,
      .merge = FF_TCB_SHARING_MERGE_NONE}},
};
