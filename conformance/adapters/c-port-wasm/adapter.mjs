// Speaks the adapter protocol on standard input and output for the port in WebAssembly (`make wasm`), whose file is its argument.
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

import { load } from "../../../reference-c/wasm/firstflight.mjs";

const firstflight = await load(readFileSync(process.argv[2]));

function say(line) {
  const bytes = Buffer.from(line + "\n");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // a full pipe that does not block
    }
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  try {
    say(firstflight.answer(line));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
