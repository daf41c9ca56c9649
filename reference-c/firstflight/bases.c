/* The base controllers. */
#include "firstflight/bases.h"

static const struct ff_window_rules newreno_rules = {.beta_tenths = 5};

const struct ff_window_rules *const ff_base_rules[FF_BASE_COUNT] = {
    [FF_BASE_NEWRENO] = &newreno_rules,
#define FF_RULES_OF(package, PACKAGE, text, PROFILE) [FF_BASE_##PACKAGE] = &ff_##package##_rules,
    FF_BASES(FF_RULES_OF)
};
