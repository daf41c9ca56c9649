// Speaks the adapter protocol on standard input and output for the port in WebAssembly (`make wasm`), whose file is its argument.
import { readFileSync, writeSync } from "node:fs";

import { load } from "../../../reference-c/wasm/firstflight.mjs";

const firstflight = await load(readFileSync(process.argv[2]));

function say(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // a full pipe that does not block
    }
  }
}

let rest = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
  // Many lines at once: the runner does not wait for one answer before the next event.
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  let answers = "";
  try {
    for (const line of lines) answers += firstflight.answer(line) + "\n";
  } catch (error) {
    say(answers);
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  say(answers);
}
