/*
 * The NewReno of OpenSSL's QUIC behind the adapter protocol.
 *
 * The adapter takes the steps of ssl/quic/quic_ackm.c for an event. These are ossl_ackm_on_tx_packet for a packet sent,
 * ackm_on_pkts_acked for an ACK frame (largest packet number first) and ackm_on_pkts_lost for a loss. The controller
 * does not read the RTT.
 *
 * Two functions of the controller are never called, because OpenSSL never calls them. For on_ecn, ackm_process_ecn
 * searches for the largest acknowledged packet after it has left the history. For on_data_lost_finished with persistent
 * congestion, ackm_in_persistent_congestion returns 0.
 */
#include "cc_newreno.c"

#include "firstflight_adapter.h"
#include "packets.h"

/* OpenSSL counts time from the epoch and treats 0 as an unset time. */
#define BEGIN_NS OSSL_TIME_SECOND

struct adapter {
    OSSL_CC_NEWRENO *newreno;
    OSSL_TIME now;
};

static const OSSL_CC_METHOD *const method = &ossl_cc_newreno_method;

const char *firstflight_adapter_hello(void)
{
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"openssl\",\"version\":\"" OPENSSL_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"avoidance\":\"datagram\","
           "\"works_out\":[\"app_limited\"]}";
}

static OSSL_TIME time_of(uint64_t t_ns)
{
    return ossl_ticks2time(BEGIN_NS + t_ns);
}

static OSSL_TIME now(void *adapter)
{
    return ((struct adapter *)adapter)->now;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    struct adapter *self;

    if (strcmp(start->algorithm, "slow-start") != 0 || strcmp(start->profile, "rfc-9002") != 0) {
        *unsupported_reason = "no such algorithm or profile";
        return NULL;
    }
    if (start->max_datagram_size_bytes != QUIC_MIN_INITIAL_DGRAM_LEN) {
        *unsupported_reason = "all datagrams of the stack have 1200 bytes";
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->newreno = (OSSL_CC_NEWRENO *)method->new(now, self);
    }
    if (self == NULL || self->newreno == NULL) {
        free(self);
        *unsupported_reason = "out of memory";
        return NULL;
    }
    if (start->initial_window_bytes != 0) {
        self->newreno->cong_wnd = start->initial_window_bytes; /* not a setting of OpenSSL */
    }
    return self;
}

static void on_sent(struct adapter *self, const struct firstflight_event *event)
{
    FOR_EACH_PACKET(event, run, packet) {
        method->on_data_sent((OSSL_CC_DATA *)self->newreno, run->size_bytes);
    }
}

static void on_ack(struct adapter *self, const struct firstflight_event *event)
{
    for (uint64_t i = event->run_count; i-- > 0;) {
        const struct firstflight_run *run = &event->packets[i];
        const OSSL_CC_ACK_INFO info = {.tx_time = time_of(run->sent_t_ns), .tx_size = run->size_bytes};
        for (uint64_t packet = run->first; packet <= run->last; packet++) {
            method->on_data_acked((OSSL_CC_DATA *)self->newreno, &info);
        }
    }
}

static void on_lost(struct adapter *self, const struct firstflight_event *event)
{
    FOR_EACH_PACKET(event, run, packet) {
        const OSSL_CC_LOSS_INFO info = {.tx_time = time_of(run->sent_t_ns), .tx_size = run->size_bytes};
        method->on_data_lost((OSSL_CC_DATA *)self->newreno, &info);
    }
    method->on_data_lost_finished((OSSL_CC_DATA *)self->newreno, 0);
}

int firstflight_adapter_event(void *adapter, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    struct adapter *self = adapter;

    self->now = time_of(event->t_ns);
    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        on_sent(self, event);
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, event);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        on_lost(self, event);
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        break; /* ossl_ackm_on_timeout calls no function of the controller */
    default:
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    observed->cwnd_bytes = self->newreno->cong_wnd;
    observed->has_ssthresh = 1;
    observed->ssthresh_bytes = self->newreno->slow_start_thresh;
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    method->free((OSSL_CC_DATA *)self->newreno);
    free(self);
}
