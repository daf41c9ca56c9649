// The toy controller judged by the vectors of RFC 9002. Run: node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cases, firstDifference, readEvent } from "./flat.mjs";
import { NewReno } from "./newreno.mjs";

const FLAT = process.env.FIRSTFLIGHT_FLAT ?? new URL("../../flat", import.meta.url).pathname;
const PROFILE = `${FLAT}/slow-start/rfc-9002.ndjson`;

function differences(appLimitedGrows) {
  const found = [];
  for (const one of cases(PROFILE)) {
    const controller = new NewReno(one.head, appLimitedGrows);
    found.push(firstDifference(one, (event) => controller.onEvent(event)));
  }
  return found.filter((difference) => difference !== null);
}

test("a right controller agrees", () => assert.deepEqual(differences(false), []));

test("a mistake is found", () => {
  const line = /^slow-start\.app-limited\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected /;
  assert.match(differences(true)[0], line);
});

test("an unknown member is refused", () => {
  const text = readFileSync(PROFILE, "utf8").split("\n")[2];
  assert.equal(readEvent(text).ev, "sent");
  assert.throws(() => readEvent(text.replace('"t_ns":', '"news":1,"t_ns":')), /unknown/);
  assert.throws(() => readEvent(text.replace('"phase":', '"news":1,"phase":')), /unknown/);
});

test("numbers of 64 bits are exact", () => {
  const text = readFileSync(PROFILE, "utf8").split("\n")[2].replace(/"t_ns":\d+/, '"t_ns":18446744073709551615');
  assert.equal(readEvent(text).t_ns, 18446744073709551615n);
});
