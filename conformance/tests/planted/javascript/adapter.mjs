// The controllers behind the adapter protocol: firstflight run --adapter "node adapter.mjs"

import { createInterface } from "node:readline";
import { HyStartPlusPlus } from "./hystartpp.mjs";
import { NewReno } from "./newreno.mjs";

const MAKERS = {
  "slow-start/rfc-9002": (config) => new NewReno(config),
  "hystartpp/rfc-9406": (config) => new HyStartPlusPlus(config, true),
  "hystartpp/rfc-9406-unpaced": (config) => new HyStartPlusPlus(config, false),
};
const HELLO = {
  op: "hello",
  protocol: 1,
  name: "HyStart++ in JavaScript",
  version: "1",
  algorithms: { "slow-start": ["rfc-9002"], hystartpp: ["rfc-9406", "rfc-9406-unpaced"] },
  observables: ["cwnd_bytes", "ssthresh_bytes", "phase"],
};
let controller;

function process(event) {
  if (event.ev === "ack") controller.onAck(event);
  else if (event.ev === "lost") controller.onLost(event);
  else if (event.ev === "ce") controller.onCongestion(event.sent_t_ns, event.t_ns);
  else if (event.ev === "persistent_congestion") controller.onPersistentCongestion();
}

function answer(message) {
  if (message.op === "hello") return HELLO;
  if (message.op === "start") {
    const make = MAKERS[`${message.algorithm}/${message.profile}`];
    if (!make) return { op: "unsupported", reason: "neither slow start nor HyStart++" };
    controller = make(message.config);
    return { op: "started" };
  }
  if (message.op === "event") {
    process(message.event);
    const { cwnd, ssthresh } = controller;
    return { op: "observed", i: message.i, cwnd_bytes: cwnd, ssthresh_bytes: ssthresh, phase: controller.phase() };
  }
  return { op: "ended" };
}

// Numbers from 2^53 on are decimal strings; in the controllers all are BigInt.
const isNumber = (value) => typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value));
const decode = (_, value) => (isNumber(value) ? BigInt(value) : value);
const encode = (_, value) => (typeof value !== "bigint" ? value : value < 2n ** 53n ? Number(value) : String(value));

for await (const line of createInterface({ input: globalThis.process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line, decode)), encode));
}
