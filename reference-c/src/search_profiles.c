/* Readings and profiles of SEARCH. Generated from spec/profiles/search.toml by `make generate`; do not edit. */
#include "firstflight/search_profiles.h"

const struct ff_search_profile ff_search_profiles[FF_SEARCH_PROFILE_COUNT] = {
    {
        "lanman-2024-literal",
        {
            .shift = FF_SEARCH_SHIFT_FLOOR,
            .shift_minimum_bins = 0,
            .shift_maximum_bins = 15,
            .windows = FF_SEARCH_WINDOWS_THROUGH_OPEN,
            .catch_up = FF_SEARCH_CATCH_UP_ONE,
            .boundary = FF_SEARCH_BOUNDARY_AFTER,
            .guard = FF_SEARCH_GUARD_AT_LEAST,
            .threshold = FF_SEARCH_THRESHOLD_AT_LEAST,
            .crossing_credit = FF_SEARCH_CROSSING_CREDIT_NEW_BIN,
            .rollback = FF_SEARCH_ROLLBACK_FLOOR,
            .lower = FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD,
            .window_floor = FF_SEARCH_WINDOW_FLOOR_ZERO,
            .exit_growth = FF_SEARCH_EXIT_GROWTH_AVOIDANCE,
            .rtt = FF_SEARCH_RTT_LATEST,
            .app_limited = FF_SEARCH_APP_LIMITED_COUNT,
            .restart = FF_SEARCH_RESTART_RESUME,
        },
    },
    {
        "lanman-2024",
        {
            .shift = FF_SEARCH_SHIFT_NEAREST,
            .shift_minimum_bins = 1,
            .shift_maximum_bins = 14,
            .windows = FF_SEARCH_WINDOWS_COMPLETED,
            .catch_up = FF_SEARCH_CATCH_UP_ALL,
            .boundary = FF_SEARCH_BOUNDARY_AFTER,
            .guard = FF_SEARCH_GUARD_MORE_THAN,
            .threshold = FF_SEARCH_THRESHOLD_AT_LEAST,
            .crossing_credit = FF_SEARCH_CROSSING_CREDIT_NEW_BIN,
            .rollback = FF_SEARCH_ROLLBACK_NEAREST,
            .lower = FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD,
            .window_floor = FF_SEARCH_WINDOW_FLOOR_MINIMUM,
            .exit_growth = FF_SEARCH_EXIT_GROWTH_NONE,
            .rtt = FF_SEARCH_RTT_LATEST,
            .app_limited = FF_SEARCH_APP_LIMITED_COUNT,
            .restart = FF_SEARCH_RESTART_REINITIALISE,
        },
    },
};
