// The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: node --test

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cases, firstDifference } from "./flat.mjs";
import { NewReno } from "./newreno.mjs";

const FLAT = process.env.FIRSTFLIGHT_FLAT ?? new URL("../../flat", import.meta.url).pathname;
const BROKEN = process.env.FIRSTFLIGHT_BROKEN ?? new URL("../broken", import.meta.url).pathname;
const PROFILE = `${FLAT}/slow-start/rfc-9002.ndjson`;

function differences(path, appLimitedGrows) {
  const found = [];
  for (const one of cases(path)) {
    const controller = new NewReno(one.head, appLimitedGrows);
    found.push(firstDifference(one, (event) => controller.onEvent(event)));
  }
  return found.filter((difference) => difference !== null);
}

function verdict(path) {
  try {
    return differences(path, false).length ? "differs" : "agrees";
  } catch (error) {
    if (error instanceof SyntaxError) return "refused";
    throw error;
  }
}

test("a right controller agrees", () => assert.deepEqual(differences(PROFILE, false), []));

test("a mistake is found", () => {
  const line = /^slow-start\.app-limited\.\S+, event \d+ \(ack at \d+ ns\): cwnd_bytes: expected /;
  assert.match(differences(PROFILE, true)[0], line);
});

test("broken files", () => {
  const wanted = readFileSync(`${BROKEN}/verdicts.tsv`, "utf8").trimEnd().split("\n");
  const names = wanted.map((line) => line.split("\t")[0]);
  assert.deepEqual(names.map((name) => `${name}\t${verdict(`${BROKEN}/${name}`)}`), wanted);
  console.log(`broken files: ${wanted.length} of ${wanted.length} as the list says`);
});
