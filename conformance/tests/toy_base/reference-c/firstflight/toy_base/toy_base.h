/* The window rules of the toy base of conformance/tests/test_toy_base.py. */
#ifndef FIRSTFLIGHT_TOY_BASE_H
#define FIRSTFLIGHT_TOY_BASE_H

#include "firstflight/toy_base/profiles.h"
#include "firstflight/window_rules.h"

struct ff_toy_base {
    struct ff_toy_base_readings readings;
    uint64_t reductions;
};

void ff_toy_base_begin(struct ff_toy_base *state, const struct ff_toy_base_readings *readings);
void ff_toy_base_carry(struct ff_toy_base *state, const struct ff_toy_base_readings *readings);

extern const struct ff_window_rules ff_toy_base_rules;

#endif
