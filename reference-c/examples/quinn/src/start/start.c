/* The selected algorithm, and NewReno below it. */
#include "start.h"

#include <stddef.h>

/* In the order of `Algorithm` in controller.rs. */
static const struct algorithm none = {0};
static const struct algorithm *const algorithms[] = {&none, &start_search, &start_hystartpp, &start_careful_resume, &start_jumpstart};

uint64_t start_size(void) { return sizeof(struct start); }

void start_begin(struct start *s, int algorithm, uint32_t datagram_bytes, uint64_t initial_window)
{
    s->algorithm = algorithm;
    newreno_rfc_9002_begin(&s->base, datagram_bytes, initial_window);
    if (algorithms[algorithm]->begin != NULL) {
        algorithms[algorithm]->begin(s, datagram_bytes);
    }
}

void start_on_sent(struct start *s, const struct sent *sent)
{
    if (algorithms[s->algorithm]->on_sent != NULL) {
        algorithms[s->algorithm]->on_sent(s, sent);
    }
}

void start_on_ack(struct start *s, const struct ack *ack)
{
    if (algorithms[s->algorithm]->on_ack != NULL) {
        algorithms[s->algorithm]->on_ack(s, ack);
    } else {
        base_on_ack(s, ack);
    }
}

void start_on_lost(struct start *s, const struct lost *lost)
{
    if (algorithms[s->algorithm]->on_lost != NULL) {
        algorithms[s->algorithm]->on_lost(s, lost);
    } else {
        base_on_lost(s, lost);
    }
}

void start_on_ready(struct start *s, const struct ready *ready)
{
    if (algorithms[s->algorithm]->on_ready != NULL) {
        algorithms[s->algorithm]->on_ready(s, ready);
    }
}

uint64_t start_window(const struct start *s) { return s->base.congestion_window; }

uint64_t start_threshold(const struct start *s) { return s->base.ssthresh; }

/* NewReno processes the packets of an ACK run by run. */
void base_on_ack(struct start *s, const struct ack *ack)
{
    for (uint32_t i = 0; i < ack->run_count; i++) {
        const struct packets *run = &ack->runs[i];
        struct newreno_rfc_9002_run acked;

        acked.count = (uint32_t)(run->last - run->first + 1);
        acked.size_bytes = run->size_bytes;
        acked.sent_time = run->sent_ns;
        newreno_rfc_9002_on_ack(&s->base, &acked, 1, ack->app_limited);
    }
}

void base_on_lost(struct start *s, const struct lost *lost)
{
    newreno_rfc_9002_on_lost(&s->base, lost->sent_ns, lost->now_ns);
    if (lost->persistent) {
        newreno_rfc_9002_on_persistent_congestion(&s->base);
    }
}
