/* What quiche works out of the packets that it is told of. Mirrors reference-py/src/firstflight/bbr/quiche_sampler.py. */
#include "firstflight/bbr/quiche_sampler.h"

#include "firstflight/bbr/rate.h"
#include "firstflight/bbr/state.h"
#include "firstflight/minmax.h"

/* The window of the heights, in rounds. */
#define HEIGHT_ROUNDS 10

static uint64_t less(uint64_t amount, uint64_t other)
{
    return amount > other ? amount - other : 0;
}

uint64_t ff_bbr_quiche_rate_of(uint64_t volume_bytes, uint64_t time_ns)
{
    if (volume_bytes == 0) {
        return 0;
    }
    uint64_t rate = ff_bbr_over(volume_bytes, FF_BBR_BYTE_NS, ff_max(time_ns, 1));

    return ff_min(ff_max(rate, 1), FF_BBR_QUICHE_RATE_MAX); /* [bbr.quiche.rate] */
}

uint64_t ff_bbr_quiche_delivers_bytes(uint64_t rate, uint64_t time_ns)
{
    return ff_bbr_over(rate, time_ns, FF_BBR_BYTE_NS);
}

/* Return one of the flights, the oldest of which is number 0. */
static struct ff_bbr_flight *flight_at(struct ff_bbr_quiche *quiche, uint32_t number)
{
    return &quiche->flights[(quiche->flights_begin + number) % FF_BBR_QUICHE_FLIGHTS_MAX];
}

/* Note a run, unless it goes on with the flight that was noted last. */
static void note(struct ff_bbr_quiche *quiche, const struct ff_run *run, uint64_t in_flight_bytes)
{
    if (quiche->flight_goes_on && run->first == quiche->last_sent_packet + 1 &&
        run->size_bytes == flight_at(quiche, quiche->flights_count - 1)->size_bytes) {
        return;
    }
    if (quiche->flights_count == FF_BBR_QUICHE_FLIGHTS_MAX) {
        quiche->flights_begin = (quiche->flights_begin + 1) % FF_BBR_QUICHE_FLIGHTS_MAX;
        quiche->flights_count--;
    }
    *flight_at(quiche, quiche->flights_count++) = (struct ff_bbr_flight){
        .first_packet = run->first,
        .sent_bytes = quiche->sent_bytes,
        .in_flight_bytes = in_flight_bytes,
        .acked_bytes = quiche->acked_bytes,
        .last_sent_bytes = quiche->last_sent_bytes,
        .last_sent_ns = quiche->last_sent_ns,
        .last_acked_ns = quiche->last_acked_ns,
        .size_bytes = (uint32_t)run->size_bytes,
        .app_limited = quiche->app_limited,
    };
    quiche->flight_goes_on = true;
}

void ff_bbr_quiche_note_sent(struct ff_bbr_quiche *quiche, uint64_t t_ns, const struct ff_sent *sent, uint64_t cwnd_bytes)
{
    uint64_t in_flight_bytes = ff_bbr_saturate(less(sent->bytes_in_flight, sent->bytes));

    if (in_flight_bytes == 0) {
        quiche->last_sent_bytes = ff_bbr_saturate(quiche->sent_bytes + sent->packets[0].size_bytes);
        quiche->last_sent_ns = quiche->last_acked_ns = t_ns; /* [bbr.quiche.idle] */
        quiche->flight_goes_on = false;
    }
    for (size_t i = 0; i < sent->run_count; i++) {
        const struct ff_run *run = &sent->packets[i];
        uint64_t volume_bytes = ff_run_count(run) * run->size_bytes;

        note(quiche, run, in_flight_bytes);
        in_flight_bytes = ff_bbr_saturate(in_flight_bytes + volume_bytes);
        quiche->sent_bytes = ff_bbr_saturate(quiche->sent_bytes + volume_bytes);
        quiche->last_sent_packet = run->last;
    }
    if (sent->app_limited && sent->bytes_in_flight < cwnd_bytes) {
        quiche->app_limited = true; /* [bbr.quiche.app-limited] */
        quiche->limited_end_packet = quiche->last_sent_packet;
        quiche->flight_goes_on = false;
    }
}

/* Return what was noted of a packet, NULL where that was forgotten. */
static const struct ff_bbr_flight *flight_of(struct ff_bbr_quiche *quiche, uint64_t packet)
{
    uint32_t low = 0, high = quiche->flights_count;

    while (low < high) { /* the flights before low begin no later than with the packet, those from high on do */
        uint32_t middle = (low + high) / 2;

        if (flight_at(quiche, middle)->first_packet <= packet) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? flight_at(quiche, low - 1) : NULL;
}

/* Return what packets of a flight up to a packet hold. */
static uint64_t volume_to(const struct ff_bbr_flight *flight, uint64_t packet)
{
    return ff_bbr_over(packet - flight->first_packet + 1, flight->size_bytes, 1);
}

/* Return the rate of the last packet of a run: the smaller of those at which data was sent and acknowledged. */
static uint64_t rate_sample(const struct ff_bbr_quiche *quiche, const struct ff_bbr_flight *flight,
                            const struct ff_run *run, uint64_t now_ns)
{
    uint64_t acked_bytes = less(quiche->acked_bytes, flight->acked_bytes);
    uint64_t rate = ff_bbr_quiche_rate_of(acked_bytes, now_ns - flight->last_acked_ns);

    if (run->sent_t_ns > flight->last_sent_ns) {
        uint64_t sent_bytes = less(quiche->last_sent_bytes, flight->last_sent_bytes);
        uint64_t time_ns = run->sent_t_ns - flight->last_sent_ns;

        rate = ff_min(rate, ff_bbr_quiche_rate_of(sent_bytes, time_ns)); /* [bbr.quiche.sample.packet] */
    }
    return rate;
}

/* Take a run into what was acknowledged. Its last packet has the largest sample of it. */
static void acknowledge_run(struct ff_bbr_quiche *quiche, const struct ff_bbr_flight *flight, const struct ff_run *run,
                            uint64_t now_ns)
{
    quiche->acked_bytes = ff_bbr_saturate(quiche->acked_bytes + ff_run_count(run) * run->size_bytes);
    quiche->last_sent_bytes = ff_bbr_saturate(flight->sent_bytes + volume_to(flight, run->last));
    quiche->last_sent_ns = run->sent_t_ns;
    quiche->last_acked_ns = now_ns;
    if (quiche->limited_end_packet == FF_NO_PACKET || run->last > quiche->limited_end_packet) {
        quiche->app_limited = false; /* [bbr.quiche.app-limited.ends] */
    }
}

struct ff_bbr_largest ff_bbr_quiche_acknowledge(struct ff_bbr_quiche *quiche, uint64_t t_ns, const struct ff_ack *ack)
{
    struct ff_bbr_largest largest = {.is_valid = false};

    quiche->flight_goes_on = false;
    for (size_t i = 0; i < ack->run_count; i++) {
        const struct ff_run *run = &ack->packets[i];

        quiche->last_acked_packet = run->last;
        const struct ff_bbr_flight *flight = flight_of(quiche, run->last);
        if (flight == NULL) {
            continue;
        }
        acknowledge_run(quiche, flight, run, t_ns);
        if (t_ns <= flight->last_acked_ns) {
            continue; /* [bbr.quiche.sample.at-once] */
        }
        uint64_t rtt_ns = t_ns - run->sent_t_ns;
        uint64_t delivered_bytes = less(quiche->acked_bytes, flight->acked_bytes);
        largest = (struct ff_bbr_largest){
            .is_valid = true,
            .rate = ff_max(largest.rate, rate_sample(quiche, flight, run, t_ns)), /* [bbr.quiche.sample] */
            .rtt_ns = largest.is_valid ? ff_min(largest.rtt_ns, rtt_ns) : rtt_ns,
            .delivered_bytes = ff_max(largest.delivered_bytes, delivered_bytes),
            .acked_bytes = flight->acked_bytes,
            .in_flight_bytes = ff_bbr_saturate(flight->in_flight_bytes + volume_to(flight, run->last)),
            .app_limited = flight->app_limited,
        };
    }
    return largest;
}

/* Return whether a height is larger than another; of equal ones that of which more was acknowledged, then that of the longer time. */
static bool exceeds(const struct ff_bbr_height *height, const struct ff_bbr_height *other)
{
    if (height->extra_bytes != other->extra_bytes) {
        return height->extra_bytes > other->extra_bytes;
    }
    if (height->acked_bytes != other->acked_bytes) {
        return height->acked_bytes > other->acked_bytes;
    }
    return height->time_ns > other->time_ns;
}

static bool is_same(const struct ff_bbr_height *height, const struct ff_bbr_height *other)
{
    return !exceeds(height, other) && !exceeds(other, height);
}

/* Take a height into the largest of ten rounds, by three that are kept: the largest, and later ones that may follow it. */
static void take_height(struct ff_bbr_quiche *quiche, struct ff_bbr_height now)
{
    struct ff_bbr_height *first = &quiche->first_height, *second = &quiche->second_height, *third = &quiche->third_height;

    if (exceeds(&now, first) || now.round_count - third->round_count > HEIGHT_ROUNDS) {
        *first = *second = *third = now; /* [bbr.quiche.height.anew] */
        return;
    }
    if (exceeds(&now, second)) {
        *second = *third = now; /* [bbr.quiche.height.second] */
    } else if (exceeds(&now, third)) {
        *third = now;
    }
    if (now.round_count - first->round_count > HEIGHT_ROUNDS) {
        *first = *second; /* [bbr.quiche.height.ten] */
        *second = *third;
        *third = now;
        if (now.round_count - first->round_count > HEIGHT_ROUNDS) {
            *first = *second;
            *second = *third;
        }
    } else if (is_same(second, first) && now.round_count - second->round_count > HEIGHT_ROUNDS / 4) {
        *second = *third = now; /* [bbr.quiche.height.quarter] */
    } else if (is_same(third, second) && now.round_count - third->round_count > HEIGHT_ROUNDS / 2) {
        *third = now; /* [bbr.quiche.height.half] */
    }
}

/* Work the heights out anew with a rate. They lose their rounds. */
static void reduce_heights(struct ff_bbr_quiche *quiche, uint64_t rate)
{
    struct ff_bbr_height heights[] = {quiche->first_height, quiche->second_height, quiche->third_height};

    quiche->first_height = quiche->second_height = quiche->third_height = (struct ff_bbr_height){0, 0, 0, 0};
    for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
        uint64_t expected_bytes = ff_bbr_quiche_delivers_bytes(rate, heights[i].time_ns);

        if (expected_bytes < heights[i].acked_bytes) {
            heights[i].extra_bytes = heights[i].acked_bytes - expected_bytes;
            heights[i].round_count = 0;
            take_height(quiche, heights[i]); /* [bbr.quiche.height.rate] */
        }
    }
}

void ff_bbr_quiche_update_height(struct ff_bbr_quiche *quiche, uint64_t rate, uint64_t round_count, uint64_t acked_bytes,
                                 bool grown)
{
    if (acked_bytes == 0) {
        return;
    }
    if (grown) {
        reduce_heights(quiche, rate);
    }
    uint64_t start_ns = quiche->epoch_start_ns;
    if (start_ns != FF_NONE && quiche->last_acked_packet <= quiche->epoch_packet) { /* [bbr.quiche.height.round] */
        uint64_t time_ns = quiche->last_acked_ns - start_ns;
        uint64_t expected_bytes = ff_bbr_quiche_delivers_bytes(rate, time_ns);

        if (quiche->epoch_bytes > expected_bytes) {
            quiche->epoch_bytes = ff_bbr_saturate(quiche->epoch_bytes + acked_bytes);
            uint64_t extra_bytes = quiche->epoch_bytes - expected_bytes; /* [bbr.quiche.height] */
            take_height(quiche, (struct ff_bbr_height){extra_bytes, quiche->epoch_bytes, time_ns, round_count});
            return;
        }
    }
    quiche->epoch_start_ns = quiche->last_acked_ns; /* [bbr.quiche.height.epoch] */
    quiche->epoch_bytes = acked_bytes;
    quiche->epoch_packet = quiche->last_sent_packet;
}
