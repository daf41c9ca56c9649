// The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cases, firstDifference } from "./flat.mjs";
import { NewReno } from "./newreno.mjs";

const FLAT = process.env.FIRSTFLIGHT_FLAT ?? new URL("../../flat", import.meta.url).pathname;
const BROKEN = process.env.FIRSTFLIGHT_BROKEN ?? new URL("../broken", import.meta.url).pathname;
const PROFILE = `${FLAT}/slow-start/rfc-9002.ndjson`;

// The controller whose answers to the events of a profile are a file's lines, one for each event: window, threshold and phase.
function recorded(path) {
  const rows = readFileSync(path, "utf8").trimEnd().split("\n").map((row) => row.split(" "));
  const number = (text) => (text === "null" ? null : BigInt(text));
  return { onEvent: (_, [cwnd, ssthresh, phase] = rows.shift()) => ({ cwnd_bytes: number(cwnd), ssthresh_bytes: number(ssthresh), phase }) };
}

function differences(path, begin) {
  const found = [...cases(path)].map((one) => {
    const controller = begin(one.head);
    const observed = one.events.map((event) => controller.onEvent(event));
    return firstDifference(one, (event) => observed[event.i]);
  });
  return found.filter((difference) => difference !== null);
}

const toy = (mistakes) => (head) => new NewReno(head, mistakes);

function verdict(path, begin) {
  try {
    const found = differences(path, begin);
    return found.some((text) => !text.startsWith("not decided: ")) ? "differs" : found.length ? "open" : "agrees";
  } catch (error) {
    if (error instanceof SyntaxError) return "refused";
    throw error;
  }
}

test("a right controller agrees", () => assert.deepEqual(differences(PROFILE, toy()), []));

test("a mistake is found", () => {
  const line = /^slow-start\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected /;
  const wrong = differences(PROFILE, toy({ appLimitedGrows: true })).filter((text) => !text.startsWith("not decided: "));
  assert.match(wrong[0], line);
});

test("a wrong phase is found", () => {
  assert.match(differences(PROFILE, toy({ staysInRecovery: true }))[0], /: phase: expected \S+, observed recovery$/);
});

test("answers of other controllers", { skip: !process.env.FIRSTFLIGHT_ANSWERS && "FIRSTFLIGHT_ANSWERS is not set" }, () => {
  const folder = process.env.FIRSTFLIGHT_ANSWERS;
  const wanted = readFileSync(`${folder}/verdicts.tsv`, "utf8").trimEnd().split("\n");
  const found = wanted.map((row) => row.split("\t")).map(([profile, name]) => {
    const controller = recorded(`${folder}/${name}`);
    return `${profile}\t${name}\t${verdict(`${FLAT}/${profile}.ndjson`, () => controller)}`;
  });
  assert.deepEqual(found, wanted);
});

test("broken files", () => {
  const wanted = readFileSync(`${BROKEN}/verdicts.tsv`, "utf8").trimEnd().split("\n");
  const names = wanted.map((line) => line.split("\t")[0]);
  assert.deepEqual(names.map((name) => `${name}\t${verdict(`${BROKEN}/${name}`, toy())}`), wanted);
  console.log(`broken files: ${wanted.length} of ${wanted.length} as the list says`);
});
