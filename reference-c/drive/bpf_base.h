/* base_on_ack for BPF: the loops of newreno_rfc_9002_on_ack by bpf_loop, for ACKs of many packets. */
static long bpf_end_recovery(uint64_t i, void *event) {
    const struct drive_run *from = &shared.event.runs[i & (DRIVE_RUNS - 1)];
    struct newreno_rfc_9002_run run = {1, 1, from->sent_t_ns};
    (void)event;
    newreno_rfc_9002_end_recovery(&base, &run, 1);
    return 0;
}

static long bpf_one_packet(uint64_t i, void *size) {
    (void)i;
    newreno_rfc_9002_congestion_avoidance(&base, *(uint32_t *)size);
    return 0;
}

/* newreno_rfc_9002_on_packets_acked. */
static long bpf_grow(uint64_t i, void *outcome) {
    const struct drive_run *from = &shared.event.runs[i & (DRIVE_RUNS - 1)];
    struct newreno_rfc_9002_run run = {(uint32_t)(from->last - from->first + 1), (uint32_t)from->size_bytes,
                                       from->sent_t_ns};
    int *last = outcome;
    *last = NEWRENO_RFC_9002_IN_RECOVERY;
    if (newreno_rfc_9002_in_congestion_recovery(&base, run.sent_time) || run.size_bytes == 0)
        return 0;
    uint64_t packets = newreno_rfc_9002_slow_start_packets(&base, run);
    if (packets > 0)
        *last = newreno_rfc_9002_slow_start(&base, packets * run.size_bytes);
    if (packets >= run.count)
        return 0;
    *last = NEWRENO_RFC_9002_GROWN_AVOIDANCE;
    bpf_loop((uint32_t)(run.count - packets), bpf_one_packet, &run.size_bytes, 0);
    return 0;
}

static inline int base_on_ack(const struct drive_event *event) {
    int outcome = NEWRENO_RFC_9002_APP_LIMITED;
    bpf_loop((uint32_t)runs_of(event), bpf_end_recovery, &outcome, 0);
    if (!event->app_limited)
        bpf_loop((uint32_t)runs_of(event), bpf_grow, &outcome, 0);
    return outcome;
}
