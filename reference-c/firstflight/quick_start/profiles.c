/* Readings and profiles of Quick-Start. Generated from spec/quick-start/profiles.toml by `make generate`; do not edit. */
#include "firstflight/quick_start/profiles.h"

const struct ff_quick_start_profile ff_quick_start_profiles[FF_QUICK_START_PROFILE_COUNT] = {
    {"rfc-4782",
     {.rate_code = 7, .first_request = FF_QUICK_START_FIRST_REQUEST_HANDSHAKE, .header_bytes = 40,
      .growth = FF_QUICK_START_GROWTH_LIMITED, .least_used = FF_QUICK_START_LEAST_USED_MINIMUM_WINDOW,
      .loss_threshold = FF_QUICK_START_LOSS_THRESHOLD_HALF_DELIVERED}},
    {"rfc-4782-refused",
     {.rate_code = 0, .first_request = FF_QUICK_START_FIRST_REQUEST_HANDSHAKE, .header_bytes = 40,
      .growth = FF_QUICK_START_GROWTH_LIMITED, .least_used = FF_QUICK_START_LEAST_USED_MINIMUM_WINDOW,
      .loss_threshold = FF_QUICK_START_LOSS_THRESHOLD_HALF_DELIVERED}},
    {"rfc-4782-data",
     {.rate_code = 7, .first_request = FF_QUICK_START_FIRST_REQUEST_DATA, .header_bytes = 40,
      .growth = FF_QUICK_START_GROWTH_LIMITED, .least_used = FF_QUICK_START_LEAST_USED_MINIMUM_WINDOW,
      .loss_threshold = FF_QUICK_START_LOSS_THRESHOLD_HALF_DELIVERED}},
    {"networking-2009",
     {.rate_code = 7, .first_request = FF_QUICK_START_FIRST_REQUEST_HANDSHAKE, .header_bytes = 52,
      .growth = FF_QUICK_START_GROWTH_STANDARD, .least_used = FF_QUICK_START_LEAST_USED_MINIMUM_WINDOW,
      .loss_threshold = FF_QUICK_START_LOSS_THRESHOLD_HALF_DELIVERED}},
    {"ns-2",
     {.rate_code = 7, .first_request = FF_QUICK_START_FIRST_REQUEST_HANDSHAKE, .header_bytes = 40,
      .growth = FF_QUICK_START_GROWTH_STANDARD, .least_used = FF_QUICK_START_LEAST_USED_USUAL_WINDOW,
      .loss_threshold = FF_QUICK_START_LOSS_THRESHOLD_KEPT}},
};
