// Firstflight in WebAssembly: the fixed-point C port and the path simulator. Messages follow spec/adapter-protocol.md.

/** A message or a scenario was refused, or the module has failed. */
export class FirstflightError extends Error {}

const STATUS = ["ok", "the sender waits for ACKs that will not come", "the controller refused", "beyond the bounds", "out of memory"];

/** Compile the module once: from bytes, or from a Response whose type is application/wasm. */
export async function load(source) {
  const module =
    source instanceof ArrayBuffer || ArrayBuffer.isView(source)
      ? await WebAssembly.compile(source)
      : await WebAssembly.compileStreaming(source);
  return new Firstflight(module);
}

/** One instance: it answers a conversation, one case after the other, and runs scenarios. */
export class Firstflight {
  #module;
  #exports;

  constructor(module) {
    this.#module = module;
    this.#begin();
  }

  #begin() {
    this.#exports = new WebAssembly.Instance(this.#module).exports;
  }

  #text(address, size) {
    return new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, address >>> 0, size));
  }

  #call(name, line) {
    const bytes = new TextEncoder().encode(line + "\n");
    const exports = this.#exports;
    try {
      const address = exports.ff_input(bytes.length) >>> 0;
      new Uint8Array(exports.memory.buffer).set(bytes, address);
      const status = exports[name]();
      return { status, text: this.#text(exports.ff_output(), exports.ff_output_size()) };
    } catch (cause) {
      const why = this.#text(exports.ff_error(), exports.ff_error_size()).trim();
      this.#begin(); // a trap leaves inconsistent memory
      throw new FirstflightError(why || String(cause.message ?? cause), { cause });
    }
  }

  /** Answer one message of the adapter protocol, a line of JSON without a line feed, with such a line. */
  answer(line) {
    return this.#call("ff_answer", line).text.trimEnd();
  }

  /** Start a controller; `config` is {max_datagram_size_bytes, initial_window_bytes}. */
  controller(algorithm, profile, config) {
    const message = { op: "start", case: "c", algorithm, profile, config };
    const answer = JSON.parse(this.answer(JSON.stringify(message)));
    if (answer.op !== "started") throw new FirstflightError(answer.reason ?? "the controller did not start");
    let i = 0;
    return {
      /** Process one event (spec/events.md) and return the observables after it. */
      step: (event) => {
        const observed = JSON.parse(this.answer(JSON.stringify({ op: "event", i, event })));
        if (observed.op !== "observed") throw new FirstflightError(observed.reason);
        i += 1;
        return observed;
      },
    };
  }

  /** Run a scenario (spec/simulator.md): return the events that the controller received, and a summary of the run. */
  simulate(scenario, algorithm, profile) {
    const { status, text } = this.#call("ff_simulate", JSON.stringify({ algorithm, profile, scenario }));
    if (status !== 0) throw new FirstflightError(STATUS[status] ?? `status ${status}`);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    return { events: lines.slice(0, -1), summary: lines.at(-1) };
  }
}
