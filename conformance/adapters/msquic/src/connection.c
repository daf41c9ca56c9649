/* The part of connection.c of msquic that both controllers use: QuicConnUpdateRtt. */
#include "precomp.h"

#include "adapter.h"

void update_rtt(QUIC_PATH *path, uint64_t latest_us)
{
    const uint64_t latest = latest_us != 0 ? latest_us : 1;

    if (!path->GotFirstRttSample) {
        path->GotFirstRttSample = TRUE;
        path->SmoothedRtt = latest;
        path->RttVariance = latest / 2;
        return;
    }
    const uint64_t difference = path->SmoothedRtt > latest ? path->SmoothedRtt - latest : latest - path->SmoothedRtt;
    path->RttVariance = (3 * path->RttVariance + difference) / 4;
    path->SmoothedRtt = (7 * path->SmoothedRtt + latest) / 8;
}
