/* Marks a function that few events need. It is kept out of line, so that the others do not pay for the registers it takes. */
#ifndef FIRSTFLIGHT_RARE_H
#define FIRSTFLIGHT_RARE_H

#if defined(__GNUC__)
#define FF_RARE __attribute__((noinline))
#else
#define FF_RARE
#endif

#endif
