/* Delivery-rate samples of a sender (spec/events.md, "The delivery-rate sample"). */
#include "flow.h"

/* State at the sending of a packet. */
struct note {
    uint64_t delivered_bytes;
    uint64_t delivered_ns;
    uint64_t first_send_ns;
    uint64_t lost_bytes;
    uint64_t in_flight_bytes; /* including this packet and earlier ones */
    bool app_limited;
};

void sim_sampler_begin(struct sim_sampler *sampler, struct sim_memory *memory, bool on)
{
    *sampler = (struct sim_sampler){
        .on = on,
        .notes = {.memory = memory, .item_size = sizeof(struct note)},
        .app_limited_bytes = 1, /* the first write finds nothing to send */
    };
}

/* Mark the sender as application-limited until more than the bytes now in flight is delivered. */
void sim_sampler_hold_back(struct sim_sampler *sampler, uint64_t in_flight_bytes)
{
    uint64_t end_bytes = sampler->delivered_bytes + in_flight_bytes;
    sampler->app_limited_bytes = end_bytes > 0 ? end_bytes : 1;
}

static const struct note *note_of(const struct sim_sampler *sampler, const struct ff_run *packets, size_t run_count)
{
    return sim_span_at(&sampler->notes, packets[run_count - 1].last);
}

static void on_sent(struct sim_sampler *sampler, const struct ff_sent *sent, uint64_t t_ns)
{
    uint64_t in_flight_bytes = sent->bytes_in_flight - sent->bytes;

    if (in_flight_bytes == 0) {
        sampler->first_send_ns = sampler->delivered_ns = t_ns;
    }
    for (size_t i = 0; i < sent->run_count; i++) {
        for (uint64_t packet = sent->packets[i].first; packet <= sent->packets[i].last; packet++) {
            in_flight_bytes += sent->packets[i].size_bytes;
            *(struct note *)sim_span_add(&sampler->notes) = (struct note){
                sampler->delivered_bytes, sampler->delivered_ns, sampler->first_send_ns,
                sampler->lost_bytes,      in_flight_bytes,       sampler->app_limited_bytes > 0,
            };
        }
    }
    if (sent->app_limited) {
        sim_sampler_hold_back(sampler, in_flight_bytes);
    }
}

static void on_ack(struct sim_sampler *sampler, struct ff_ack *ack, uint64_t t_ns)
{
    const struct ff_run *newest = &ack->packets[ack->run_count - 1];
    const struct note *note = note_of(sampler, ack->packets, ack->run_count);
    uint64_t send_ns = newest->sent_t_ns - note->first_send_ns, ack_ns = t_ns - note->delivered_ns;

    sampler->delivered_bytes += ack->bytes;
    sampler->delivered_ns = t_ns;
    sampler->first_send_ns = newest->sent_t_ns;
    if (sampler->delivered_bytes > sampler->app_limited_bytes) {
        sampler->app_limited_bytes = 0;
    }
    ack->rate_delivered_bytes = sampler->delivered_bytes - note->delivered_bytes;
    ack->rate_interval_ns = send_ns > ack_ns ? send_ns : ack_ns;
    ack->rate_prior_delivered_bytes = note->delivered_bytes;
    ack->rate_app_limited = note->app_limited;
    ack->rate_in_flight_bytes = note->in_flight_bytes;
    ack->rate_lost_bytes = sampler->lost_bytes - note->lost_bytes;
}

static void on_lost(struct sim_sampler *sampler, struct ff_lost *lost)
{
    const struct note *note = note_of(sampler, lost->packets, lost->run_count);

    if (!lost->pmtu_probe) {
        sampler->lost_bytes += lost->bytes;
    }
    lost->rate_in_flight_bytes = note->in_flight_bytes;
    lost->rate_app_limited = note->app_limited;
    lost->rate_lost_bytes = sampler->lost_bytes - note->lost_bytes;
}

void sim_sampler_sample(struct sim_sampler *sampler, struct ff_event *event, uint64_t oldest_packet)
{
    if (!sampler->on) {
        return;
    }
    switch (event->kind) {
    case FF_EVENT_SENT:
        on_sent(sampler, &event->sent, event->t_ns);
        break;
    case FF_EVENT_ACK:
        on_ack(sampler, &event->ack, event->t_ns);
        sampler->notes.oldest = oldest_packet;
        break;
    case FF_EVENT_LOST:
        on_lost(sampler, &event->lost);
        break;
    default:
        break;
    }
}
