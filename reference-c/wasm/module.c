/*
 * The WebAssembly module: the adapter conversation of spec/adapter-protocol.md, one line at a time, and the path simulator.
 *
 * The caller asks for memory with ff_input(size), writes one message there and calls ff_answer(), or writes a scenario and calls
 * ff_simulate(). The answer is at ff_output(), ff_output_size() bytes of JSON lines. If a call traps, ff_error() has the reason.
 */
#include <stdint.h>
#include <stdio.h>

/* The host of the C adapter is a loop over lines; here each line is a call. */
#define main firstflight_serve
#include "stdio_host.c"
#undef main

#include "scenario.h"
#include "stream.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct host host;

char *EXPORT(ff_input)(size_t size);
int EXPORT(ff_answer)(void);
int EXPORT(ff_simulate)(void);
const char *EXPORT(ff_output)(void);
size_t EXPORT(ff_output_size)(void);
const char *EXPORT(ff_error)(void);
size_t EXPORT(ff_error_size)(void);

char *ff_input(size_t size)
{
    ff_stream_fill(stdout, 0);
    return ff_stream_fill(stdin, size);
}

static void read_message(void)
{
    host.line++;
    const char *error = json_read_line(&host.doc, stdin) == JSON_READ_LINE ? json_parse(&host.doc) : "is too long or empty";
    if (error != NULL) {
        die(&host, "no JSON: %s", error);
    }
}

/* Answer one message of the adapter protocol. */
int ff_answer(void)
{
    read_message();
    on_message(&host);
    return 0;
}

/* Run the scenario that was written; return its enum sim_status. The events are lines, the last is the summary. */
int ff_simulate(void)
{
    read_message();
    const char *error = NULL;
    int status = ff_scenario_run(&host.doc, &error);
    if (error != NULL) {
        die(&host, "%s", error);
    }
    return status;
}

const char *ff_output(void)
{
    return stdout->bytes;
}

size_t ff_output_size(void)
{
    return stdout->used;
}

const char *ff_error(void)
{
    return stderr->bytes;
}

size_t ff_error_size(void)
{
    return stderr->used;
}
