#include "precomp.h"

#include "adapter.h"

/* Functions that cubic.c and bbr.c call. The clock is the vector's; flow control and the application are missing. */
uint64_t now_us;

uint64_t CxPlatTimeUs64(void)
{
    return now_us;
}

/* The stack draws the first gain of ProbeBW at random; here it is 1. */
QUIC_STATUS CxPlatRandom(uint32_t length, void *buffer)
{
    memset(buffer, 0, length);
    return QUIC_STATUS_SUCCESS;
}

void QuicSendBufferConnectionAdjust(QUIC_CONNECTION *connection)
{
    (void)connection;
}

QUIC_STATUS QuicConnIndicateEvent(QUIC_CONNECTION *connection, QUIC_CONNECTION_EVENT *event)
{
    (void)connection;
    (void)event;
    return QUIC_STATUS_SUCCESS;
}

void QuicStreamSetGetFlowControlSummary(const QUIC_STREAM_SET *streams, uint64_t *available, uint64_t *send_window)
{
    (void)streams;
    *available = 0;
    *send_window = 0;
}

void CxPlatLogAssert(const char *file, int line, const char *expression)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, expression);
}

void quic_bugcheck(const char *file, int line, const char *expression)
{
    CxPlatLogAssert(file, line, expression);
    abort();
}
