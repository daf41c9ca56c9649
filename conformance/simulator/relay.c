/* The link of a scenario without a simulated sender: computes arrival times for a relay of real datagrams. */
#include <stdlib.h>

#include "parts.h"

struct sim_path {
    struct sim_memory memory;
    struct sim_bottleneck bottleneck;
};

struct sim_path *sim_path_begin(const struct sim_link *link, uint64_t seed, uint64_t origin_ns)
{
    struct sim_path *path = calloc(1, sizeof *path);

    if (path != NULL) {
        path->bottleneck = sim_bottleneck(link, seed, &path->memory);
        path->bottleneck.origin_ns = origin_ns;
    }
    return path;
}

enum sim_status sim_path_carry(struct sim_path *path, uint64_t now_ns, uint64_t size_bytes, struct sim_carried *carried)
{
    const struct sim_bottleneck *bottleneck = &path->bottleneck;

    path->memory.status = SIM_OK;
    if (setjmp(path->memory.refused) == 0) {
        carried->arrival_ns = sim_bottleneck_carry(&path->bottleneck, now_ns, size_bytes);
    }
    carried->busy_until_ns = bottleneck->busy_until_ns;
    carried->dropped_packets = bottleneck->dropped_packets;
    carried->early_dropped_packets = bottleneck->early_dropped_packets;
    carried->lost_packets = bottleneck->lost_packets;
    return path->memory.status;
}

void sim_path_end(struct sim_path *path)
{
    free(path->bottleneck.waiting.items);
    free(path);
}
