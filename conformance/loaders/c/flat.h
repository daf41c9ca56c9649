/* Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied with flat.c; C11. */
#ifndef FLAT_H
#define FLAT_H

#include <stddef.h>
#include <stdint.h>

#define FLAT_NULL UINT64_MAX /* null: an infinite threshold, no RTT sample. No number of a vector is as large. */
enum { FLAT_RUNS = 65536, FLAT_TEXT = 120, FLAT_MEMBERS = 16 };

struct flat_run { uint64_t first, last, size_bytes, sent_t_ns; }; /* of ranges only first and last */
struct flat_case { char id[FLAT_TEXT]; uint64_t max_datagram_size_bytes, initial_window_bytes, events; };
struct flat_member { const char *name; uint64_t value; };
struct flat_event {
    uint64_t i, t_ns;
    struct flat_member members[FLAT_MEMBERS]; /* numbers, null, and truths as 1 and 0 */
    size_t member_count, packet_count, retransmit_count;
    char ev[FLAT_TEXT];
    struct flat_run packets[FLAT_RUNS], retransmits[FLAT_RUNS];
};
struct flat_observed { uint64_t values[2]; }; /* cwnd_bytes, ssthresh_bytes */

/* Yours: it begins anew for each case, and answers each event. */
struct flat_controller {
    void *self;
    void (*begin)(void *self, const struct flat_case *from);
    struct flat_observed (*on_event)(void *self, const struct flat_event *event);
};

/* Return a member of an event, which its kind must have. */
uint64_t flat_get(const struct flat_event *event, const char *name);

/* Judge a controller by every case of a file. Print the first difference of each case; return how many cases differ, -1 if the file
 * cannot be read or is of another form, which is printed as well. */
int flat_judge(const char *path, const struct flat_controller *controller);

#endif
