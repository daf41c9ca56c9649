/* The version of Firstflight. Generated from spec/VERSION by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_VERSION_H
#define FIRSTFLIGHT_VERSION_H

#define FF_VERSION_MAJOR 0
#define FF_VERSION_MINOR 2
#define FF_VERSION_PATCH 0
#define FF_VERSION_STRING "0.2.0"

/* To compare: FF_VERSION >= FF_VERSION_NUMBER(0, 2, 0). */
#define FF_VERSION_NUMBER(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define FF_VERSION FF_VERSION_NUMBER(FF_VERSION_MAJOR, FF_VERSION_MINOR, FF_VERSION_PATCH)

#endif
