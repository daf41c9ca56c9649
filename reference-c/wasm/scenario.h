/* Runs a scenario (spec/schemas/scenario.schema.json) from a message, with a controller of the port. */
#ifndef FF_WASM_SCENARIO_H
#define FF_WASM_SCENARIO_H

#include "json_lines.h"

/*
 * Run `{"algorithm", "profile", "scenario"}` and write each event and then the summary as a line of JSON to standard output.
 * Return the enum sim_status; for a malformed message, `error` has the reason.
 */
int ff_scenario_run(const struct json_doc *doc, const char **error);

#endif
