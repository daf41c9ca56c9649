// The toy controller behind the adapter protocol: firstflight run --adapter "node adapter.mjs" --algorithm slow-start

import { createInterface } from "node:readline";
import { NewReno } from "./newreno.mjs";

const CLAIMS = { algorithms: { "slow-start": ["rfc-9002"] }, observables: ["cwnd_bytes", "ssthresh_bytes", "phase"] };
const claimed = (observed) => Object.fromEntries(CLAIMS.observables.map((name) => [name, observed[name]]));
let controller;

function answer(message) {
  switch (message.op) {
    case "hello":
      return { op: "hello", protocol: 1, name: "toy in JavaScript", version: "1", ...CLAIMS };
    case "start":
      if (message.algorithm !== "slow-start" || message.profile !== "rfc-9002") {
        return { op: "unsupported", reason: "only slow-start/rfc-9002" };
      }
      controller = new NewReno(message.config);
      return { op: "started" };
    case "event":
      return { op: "observed", i: message.i, ...claimed(controller.onEvent(message.event)) };
    default:
      return { op: "ended" };
  }
}

// Numbers from 2^53 on are decimal strings; inside, all are BigInt.
const isNumber = (value) => typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value));
const decode = (_, value) => (isNumber(value) ? BigInt(value) : value);
const encode = (_, value) => (typeof value !== "bigint" ? value : value < 2n ** 53n ? Number(value) : String(value));

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line, decode)), encode));
}
