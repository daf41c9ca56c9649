/*
 * ngtcp2's controllers behind the adapter protocol: Reno for the NewReno profile, CUBIC (always with HyStart++) for the others.
 *
 * The adapter takes the steps of ngtcp2_rtb.c and ngtcp2_conn.c for an event, in the same order. These are rtb_on_add
 * for a packet sent, ngtcp2_rtb_recv_ack for an ACK frame, and rtb_detect_lost_pkt for a loss. The delivery-rate
 * sampler of the stack (ngtcp2_rst.c) is updated as well, because CUBIC uses it. The RTT values of the vector are used:
 * both follow RFC 9002.
 */
#include <stdlib.h>
#include <string.h>

#include <ngtcp2/version.h>

#include "firstflight_adapter.h"
#include "ngtcp2_cc.h"
#include "ngtcp2_conn_stat.h"
#include "ngtcp2_log.h"
#include "ngtcp2_rst.h"
#include "ngtcp2_rtb.h"

struct adapter {
    ngtcp2_log log;
    ngtcp2_rst rst;
    ngtcp2_conn_stat cstat;
    ngtcp2_cc *cc;
    ngtcp2_cc_reno reno;
    ngtcp2_cc_cubic cubic;
    ngtcp2_rtb_entry *entries; /* the stack's records of packets in flight, indexed by packet number */
    uint64_t entry_capacity;
    uint64_t beyond_acked; /* the packet after the largest acknowledged one */
    uint64_t ce_count;
};

const char *firstflight_adapter_hello(void)
{
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"ngtcp2\",\"version\":\"" NGTCP2_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"],\"cubic\":[\"rfc-9438\"],"
           "\"hystartpp\":[\"rfc-9406+cubic\",\"ngtcp2+cubic\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"avoidance\":\"datagram\"}";
}

/* The controller that a profile judges. */
enum controller { NONE, RENO, CUBIC };

static enum controller wanted(const struct firstflight_case *start)
{
    static const struct {
        const char *algorithm, *profile;
        enum controller controller;
    } judged[] = {
        {"slow-start", "rfc-9002", RENO},
        {"cubic", "rfc-9438", CUBIC},
        {"hystartpp", "rfc-9406+cubic", CUBIC},
        {"hystartpp", "ngtcp2+cubic", CUBIC},
    };

    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++) {
        if (strcmp(start->algorithm, judged[i].algorithm) == 0 && strcmp(start->profile, judged[i].profile) == 0) {
            return judged[i].controller;
        }
    }
    return NONE;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    const enum controller controller = wanted(start);
    struct adapter *self;

    if (controller == NONE) {
        *unsupported_reason = "no such algorithm or profile";
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self == NULL) {
        *unsupported_reason = "out of memory";
        return NULL;
    }
    /* Initial values as in conn_reset_conn_stat_cc (ngtcp2_conn.c). */
    self->cstat = (ngtcp2_conn_stat){.min_rtt = UINT64_MAX,
                                     .first_rtt_sample_ts = UINT64_MAX,
                                     .ssthresh = UINT64_MAX,
                                     .congestion_recovery_start_ts = UINT64_MAX,
                                     .max_tx_udp_payload_size = start->max_datagram_size_bytes};
    self->cstat.cwnd = start->initial_window_bytes != 0 ? start->initial_window_bytes
                                                        : ngtcp2_cc_compute_initcwnd(start->max_datagram_size_bytes);
    ngtcp2_log_init(&self->log, NULL, NULL, NULL, NULL, 0, NULL);
    ngtcp2_rst_init(&self->rst);
    if (controller == RENO) {
        ngtcp2_cc_reno_init(&self->reno, &self->log, &self->cstat);
        self->cc = &self->reno.cc;
    } else {
        ngtcp2_cc_cubic_init(&self->cubic, &self->log, &self->cstat, &self->rst);
        self->cc = &self->cubic.cc;
    }
    return self;
}

/* Make room for the entry of a packet. Return 0 without memory. */
static int reserve(struct adapter *self, uint64_t packet)
{
    uint64_t capacity = self->entry_capacity != 0 ? self->entry_capacity : 1024;
    ngtcp2_rtb_entry *entries;

    if (packet < self->entry_capacity) {
        return 1;
    }
    while (capacity <= packet) {
        capacity *= 2;
    }
    entries = realloc(self->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return 0;
    }
    self->entries = entries;
    self->entry_capacity = capacity;
    return 1;
}

/* rtb_on_add, conn_on_pkt_sent; at the end the window is looked at as conn_write_vmsg_wrapper does. */
static int on_sent(struct adapter *self, const struct firstflight_event *event)
{
    ngtcp2_conn_stat *cstat = &self->cstat;

    for (uint64_t i = 0; i < event->run_count; i++) {
        const struct firstflight_run *run = &event->packets[i];
        for (uint64_t packet = run->first; packet <= run->last; packet++) {
            if (!reserve(self, packet)) {
                return FIRSTFLIGHT_FAULT;
            }
            ngtcp2_rtb_entry *entry = &self->entries[packet];
            memset(entry, 0, sizeof *entry);
            entry->hd.pkt_num = (int64_t)packet;
            entry->ts = event->t_ns;
            entry->pktlen = run->size_bytes;
            cstat->bytes_in_flight += entry->pktlen;
            ngtcp2_rst_on_pkt_sent(&self->rst, entry, cstat);
        }
    }
    if (cstat->bytes_in_flight >= cstat->cwnd) {
        self->rst.is_cwnd_limited = 1;
    } else if (event->app_limited) {
        uint64_t limited = self->rst.delivered + cstat->bytes_in_flight;
        self->rst.app_limited = limited != 0 ? limited : 1;
    }
    return FIRSTFLIGHT_OBSERVED;
}

/* rtb_on_pkt_acked for one packet. */
static void on_packet_acked(struct adapter *self, const ngtcp2_rtb_entry *entry, ngtcp2_cc_ack *ack, ngtcp2_tstamp ts)
{
    ngtcp2_cc_pkt packet;

    ack->bytes_delivered += entry->pktlen;
    ack->pkt_delivered = entry->rst.delivered;
    ngtcp2_rst_update_rate_sample(&self->rst, entry, ts);
    if (self->cc->on_pkt_acked != NULL) {
        ngtcp2_cc_pkt_init(&packet, entry->hd.pkt_num, entry->pktlen, NGTCP2_PKTNS_ID_APPLICATION, entry->ts,
                           entry->rst.lost, entry->rst.tx_in_flight, entry->rst.is_app_limited);
        self->cc->on_pkt_acked(self->cc, &self->cstat, &packet, ts);
    }
}

/* ngtcp2_rtb_recv_ack without its search for losses, which the vector reports. */
static void on_ack(struct adapter *self, const struct firstflight_event *event)
{
    const struct firstflight_run *newest = &event->packets[event->run_count - 1];
    ngtcp2_conn_stat *cstat = &self->cstat;
    ngtcp2_cc_ack ack = {.largest_pkt_sent_ts = UINT64_MAX, .rtt = UINT64_MAX};

    ngtcp2_rst_reset_rate_sample(&self->rst, cstat);
    cstat->bytes_in_flight -= event->bytes;
    if (newest->last >= self->beyond_acked) { /* the largest packet of the frame is newly acknowledged */
        ack.largest_pkt_sent_ts = newest->sent_t_ns;
        self->beyond_acked = newest->last + 1;
    }
    if (event->latest_rtt_ns != FIRSTFLIGHT_NONE) {
        ack.rtt = event->latest_rtt_ns;
        cstat->latest_rtt = event->latest_rtt_ns;
        cstat->min_rtt = event->min_rtt_ns;
        cstat->smoothed_rtt = event->smoothed_rtt_ns;
        cstat->first_rtt_sample_ts = cstat->first_rtt_sample_ts == UINT64_MAX ? event->t_ns : cstat->first_rtt_sample_ts;
    }
    for (uint64_t i = 0; i < event->run_count; i++) {
        for (uint64_t packet = event->packets[i].first; packet <= event->packets[i].last; packet++) {
            on_packet_acked(self, &self->entries[packet], &ack, event->t_ns);
        }
    }
    ngtcp2_rst_on_ack_recv(&self->rst, cstat);
    if (self->cc->on_ack_recv != NULL) {
        self->cc->on_ack_recv(self->cc, cstat, &ack, event->t_ns);
    }
}

/* rtb_detect_lost_pkt from the place where the lost packets are known. The packet sent last decides. */
static void on_lost(struct adapter *self, const struct firstflight_event *event)
{
    const ngtcp2_cc_ack ack = {.bytes_lost = event->bytes, .largest_pkt_sent_ts = UINT64_MAX, .rtt = UINT64_MAX};
    const ngtcp2_tstamp latest_ts = event->packets[event->run_count - 1].sent_t_ns;

    self->cstat.bytes_in_flight -= event->bytes;
    self->rst.lost += event->bytes;
    self->cc->congestion_event(self->cc, &self->cstat, latest_ts, &ack, event->t_ns);
}

/* conn_verify_ecn. */
static void on_ce(struct adapter *self, const struct firstflight_event *event)
{
    const ngtcp2_cc_ack ack = {.largest_pkt_sent_ts = event->sent_t_ns, .rtt = UINT64_MAX};

    if (event->ce_count > self->ce_count) {
        self->cc->congestion_event(self->cc, &self->cstat, event->sent_t_ns, &ack, event->t_ns);
        self->ce_count = event->ce_count;
    }
}

/* rtb_detect_lost_pkt, at its end. */
static void on_persistent_congestion(struct adapter *self, ngtcp2_tstamp ts)
{
    self->cstat.min_rtt = UINT64_MAX;
    self->cstat.first_rtt_sample_ts = UINT64_MAX;
    self->cc->on_persistent_congestion(self->cc, &self->cstat, ts);
}

int firstflight_adapter_event(void *adapter, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    struct adapter *self = adapter;

    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        if (on_sent(self, event) != FIRSTFLIGHT_OBSERVED) {
            return FIRSTFLIGHT_FAULT;
        }
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, event);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        on_lost(self, event);
        break;
    case FIRSTFLIGHT_EVENT_CE:
        on_ce(self, event);
        break;
    case FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION:
        on_persistent_congestion(self, event->t_ns);
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        break; /* ngtcp2_conn_on_loss_detection_timer does not notify the controller */
    case FIRSTFLIGHT_EVENT_SPURIOUS_LOSS:
        if (self->cc->on_spurious_congestion != NULL) { /* ngtcp2_rtb_recv_ack; Reno lacks this function */
            self->cc->on_spurious_congestion(self->cc, &self->cstat, event->t_ns);
        }
        break;
    default:
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    observed->cwnd_bytes = self->cstat.cwnd;
    observed->has_ssthresh = 1;
    observed->ssthresh_bytes = self->cstat.ssthresh;
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    free(self->entries);
    free(self);
}
