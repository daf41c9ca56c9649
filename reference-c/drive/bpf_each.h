/* Loop over the runs of an event by the kernel's iterator of numbers: the verifier follows its body only once. */
struct bpf_iter_num {
    uint64_t opaque[1];
};
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __ksym;

static inline uint64_t bpf_next(struct bpf_iter_num *it) {
    int *next = bpf_iter_num_next(it);
    return next ? (uint64_t)*next : UINT64_MAX;
}

#define EACH_RUN(event, i)                                                                                             \
    for (struct bpf_iter_num it_ __attribute__((cleanup(bpf_iter_num_destroy))),                                       \
         *made_ = (bpf_iter_num_new(&it_, 0, (int)runs_of(event)), (void)bpf_iter_num_destroy, &it_);                  \
         made_; made_ = 0)                                                                                             \
        for (uint64_t i; (i = bpf_next(&it_)) < DRIVE_RUNS;)

/* Vectors have at most 50 lost ranges, 3 runs for CUBIC and 8 of initial data. An event with more gives a wrong
 * answer. */
#define FEW_RUNS(count, most) ((count) < (most) ? (count) : (most))
