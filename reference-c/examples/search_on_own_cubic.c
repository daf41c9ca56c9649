/*
 * SEARCH as in draft -09 on your own CUBIC, by the plain header: nothing to link. C11 and C++17.
 *
 *     cc search_on_own_cubic.c $(pkg-config --cflags firstflight)
 */
#include <firstflight/plain/search_draft_09.h>
#include <stdio.h>

#include "own_cubic.h"
#include "path.h"

static struct path path;
static struct own_cubic cubic;
static struct search_draft_09 search;

/* An ACK of one packet. SEARCH counts every ACK, and decides while CUBIC is in slow start. */
static enum search_draft_09_outcome on_ack(uint64_t now_ns, uint64_t sent_ns)
{
    enum search_draft_09_outcome outcome = SEARCH_DRAFT_09_SAME_BIN;

    search_draft_09_count(&search, PATH_BYTES);
    search_draft_09_rtt(&search, now_ns - sent_ns);
    if (cubic.cwnd < cubic.ssthresh) {
        outcome = search_draft_09_on_ack(&search, now_ns, 1, path_in_flight(&path), &cubic.cwnd);
    }
    switch (outcome) {
    case SEARCH_DRAFT_09_DRAINED: /* slow start is over: CUBIC goes on from the window that SEARCH set */
        cubic.ssthresh = cubic.cwnd;
        break;
    case SEARCH_DRAFT_09_EXITED: /* the drain begins; the window does not grow */
    case SEARCH_DRAFT_09_DRAINING:
        break;
    default:
        own_cubic_on_ack(&cubic, PATH_BYTES, sent_ns, now_ns);
    }
    return outcome;
}

int main(void)
{
    uint64_t now_ns = UINT64_C(1000000000);
    int exited = 0;

    path_begin(&path, 25000000, 100000000, now_ns);
    own_cubic_begin(&cubic, PATH_BYTES);
    search_draft_09_begin(&search, PATH_BYTES);
    while (now_ns < UINT64_C(4000000000)) {
        uint64_t sent = path_send(&path, now_ns, cubic.cwnd);

        if (sent > 0) {
            search_draft_09_on_sent(&search, sent * PATH_BYTES);
        }
        now_ns = path_next_ack(&path);
        enum search_draft_09_outcome outcome = on_ack(now_ns, path_sent_ns(&path, path.oldest - 1));
        if (outcome == SEARCH_DRAFT_09_EXITED || outcome == SEARCH_DRAFT_09_DRAINED) {
            printf("%s after %llu ms, with %llu bytes; the path holds 2500000\n",
                   outcome == SEARCH_DRAFT_09_EXITED ? "slow start is left" : "the queue is drained",
                   (unsigned long long)(now_ns / 1000000 - 1000), (unsigned long long)cubic.cwnd);
        }
        exited |= outcome == SEARCH_DRAFT_09_DRAINED;
    }
    printf("after 3 s CUBIC has %llu bytes\n", (unsigned long long)cubic.cwnd);
    return !exited;
}
