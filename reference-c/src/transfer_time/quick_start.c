/* The rates that Quick-Start can ask for (RFC 4782, section 3.1). */
#include "firstflight/transfer_time/transfer_time.h"

enum ff_status ff_quick_start_code(uint64_t requested_rate_bps, uint64_t *code, uint64_t *approved_rate_bps)
{
    uint64_t rate_bps = FF_QUICK_START_UNIT_BPS;
    uint64_t found = 0;

    if (requested_rate_bps > FF_TRANSFER_TIME_RATE_MAX_BPS) {
        return FF_ERR_DOMAIN; /* [transfer-time.domain.range] */
    }
    while (found < FF_QUICK_START_CODE_MAX && 2 * rate_bps <= requested_rate_bps) {
        found++; /* [transfer-time.quick-start.code] */
        rate_bps *= 2;
    }
    *code = found;
    *approved_rate_bps = found > 0 ? rate_bps : 0;
    return FF_OK;
}
