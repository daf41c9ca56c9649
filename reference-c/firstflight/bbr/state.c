/* The state of BBR. Mirrors reference-py/src/firstflight/bbr/state.py. */
#include "firstflight/bbr/state.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

uint64_t ff_bbr_saturate(uint64_t volume_bytes)
{
    return ff_min(volume_bytes, FF_WINDOW_MAX_BYTES);
}

uint64_t ff_bbr_smaller_bound(uint64_t bound_bytes, uint64_t other_bytes)
{
    return ff_min(bound_bytes, other_bytes);
}

uint64_t ff_bbr_larger_bound(uint64_t bound_bytes, uint64_t other_bytes)
{
    return ff_max(bound_bytes, other_bytes);
}
