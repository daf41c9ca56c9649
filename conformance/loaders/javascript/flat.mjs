// Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied; Node 18 or later.
// Strict: a line whose members are not exactly those of pages/flat-format.md is refused. Numbers are BigInt: they have up to 64 bits.

import { readFileSync } from "node:fs";

const words = (text) => text.split(" ");
const PROFILE = words("line format version algorithm profile observables state cases");
const CASE = words(
  "line case max_datagram_size_bytes initial_window_bytes events granularity bits flags tier level clauses ours title why",
);
const EXPECT = words("cwnd_bytes ssthresh_bytes phase outcome next_release_ns trigger state");
const EVENTS = {
  sent: words("packets bytes bytes_in_flight app_limited retransmits"),
  ack: words(
    "packets bytes bytes_in_flight next_packet app_limited latest_rtt_ns min_rtt_ns smoothed_rtt_ns ack_delay_ns oldest_unacked_packet",
  ),
  lost: words("packets bytes bytes_in_flight next_packet"),
  ce: words("packet sent_t_ns ce_count"),
  backlog: words("queued_bytes receive_window_bytes latest_rtt_ns"),
  saved_path: words(
    "saved_cwnd_bytes saved_rtt_ns endpoint_matches in_use expires_t_ns max_jump_bytes beta_numerator beta_denominator",
  ),
  persistent_congestion: [], pto: [], path_change: [], spurious_loss: [], idle_restart: [],
};

// JSON.parse rounds what a double cannot hold: long numbers outside of texts are made texts first, then all are BigInt.
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|\d+/g;
function parse(text) {
  const numbers = text.replace(TEXT_OR_NUMBER, (token) => (token[0] === '"' ? token : `"#${token}"`));
  return JSON.parse(numbers, (_, value) => {
    return typeof value === "string" && /^#\d+$/.test(value) ? BigInt(value.slice(1)) : value;
  });
}

function members(object, names, text) {
  const found = Object.keys(object);
  if (found.join() !== names.join()) {
    const differing = [...found.filter((n) => !names.includes(n)), ...names.filter((n) => !found.includes(n))];
    throw new Error(`members ${differing} unknown, missing or out of order: ${text.slice(0, 80)}`);
  }
  return object;
}

export function readEvent(text) {
  const event = parse(text);
  if (!Object.hasOwn(EVENTS, event.ev)) throw new Error(`unknown event: ${text.slice(0, 80)}`);
  members(event, ["line", "i", "ev", "t_ns", ...EVENTS[event.ev], "expect", "allowed"], text);
  members(event.expect, EXPECT, text);
  return event;
}

/** Yield each case of a file with its events. */
export function* cases(path) {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const header = members(parse(lines[0]), PROFILE, lines[0]);
  if (header.format !== 1n) throw new Error(`format ${header.format}`);
  let count = 0n;
  for (let next = 1; next < lines.length; count++) {
    const head = members(parse(lines[next]), CASE, lines[next]);
    const end = next + 1 + Number(head.events);
    if (end > lines.length) throw new Error(`${head.case}: the file ends before the case`);
    yield { head, events: lines.slice(next + 1, end).map(readEvent) };
    next = end;
  }
  if (count !== header.cases) throw new Error(`${count} cases instead of ${header.cases}`);
}

/** Return where a controller departs from a case, null if it does not. It returns the observables to compare, by name. */
export function firstDifference({ head, events }, controller) {
  for (const event of events) {
    for (const [name, observed] of Object.entries(controller(event))) {
      const expected = event.expect[name];
      if (observed !== expected && !event.allowed[name]?.includes(observed)) {
        const place = `${head.case}, event ${event.i} (${event.ev} at ${event.t_ns} ns)`;
        return `${place}: ${name}: expected ${expected}, observed ${observed}`;
      }
    }
  }
  return null;
}
