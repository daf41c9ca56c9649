/* The functions of drive.h in the kernel: each event runs a program of vectors.bpf.c by BPF_PROG_RUN. OBJECT is its
 * file. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "drive.h"

struct shared {
    uint64_t max_datagram_size, initial_window;
    struct drive_event event;
    uint64_t cwnd, ssthresh, next_release_ns, triggers;
    int outcome;
    char header[32], phase[32];
};
static struct shared *shared;
static int begin_fd, event_fd;
const size_t drive_state_bytes = 0;

static void fail(const char *what) {
    perror(what);
    exit(4);
}

static void load(void) {
    struct bpf_object *object = bpf_object__open_file(OBJECT, NULL);
    struct bpf_map *map;
    if (!object || bpf_object__load(object))
        fail(OBJECT);
    begin_fd = bpf_program__fd(bpf_object__find_program_by_name(object, "begin"));
    event_fd = bpf_program__fd(bpf_object__find_program_by_name(object, "event"));
    bpf_object__for_each_map(map, object)
        if (strstr(bpf_map__name(map), ".data.shared"))
            shared = mmap(NULL, bpf_map__value_size(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (!shared || shared == MAP_FAILED)
        fail("shared memory");
}

static void run(int program) {
    LIBBPF_OPTS(bpf_test_run_opts, options);
    if (bpf_prog_test_run_opts(program, &options))
        fail("BPF_PROG_RUN");
}

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    if (!shared)
        load();
    shared->max_datagram_size = max_datagram_size;
    shared->initial_window = initial_window;
    run(begin_fd);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    shared->event = *event;
    run(event_fd);
    struct drive_answer answer = {shared->header, shared->outcome, shared->cwnd, shared->ssthresh,
                                  shared->next_release_ns,
                                  shared->triggers, shared->phase};
    return answer;
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return 1;
}
