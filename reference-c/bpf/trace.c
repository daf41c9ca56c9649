/* Registers an object that was built with FIRSTFLIGHT_TRACE, and prints its records, a line of numbers each, until
 * standard input ends. */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "trace.h"

static int print(void *context, void *data, size_t size) {
    const uint64_t *numbers = data;
    (void)context;
    for (size_t i = 0; i < size / sizeof *numbers; i++)
        printf("%llu%c", (unsigned long long)numbers[i], i + 1 < size / sizeof *numbers ? ' ' : '\n');
    return 0;
}

int main(int argc, char **argv) {
    struct bpf_object *object = argc == 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
    struct bpf_map *map;
    struct bpf_link *links[2] = {NULL, NULL};
    int count = 0;
    struct ring_buffer *records;
    struct pollfd input = {0, POLLIN, 0};
    if (!object || bpf_object__load(object))
        return 2;
    bpf_object__for_each_map(map, object)
        if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS && count < 2)
            links[count++] = bpf_map__attach_struct_ops(map);
    records = ring_buffer__new(bpf_map__fd(bpf_object__find_map_by_name(object, "records")), print, NULL, NULL);
    if (!links[0] || !records)
        return 3;
    printf("registered\n");
    fflush(stdout);
    while (poll(&input, 1, 0) == 0)
        ring_buffer__poll(records, 10);
    ring_buffer__consume(records);
    while (count > 0)
        bpf_link__destroy(links[--count]);
    return 0;
}
