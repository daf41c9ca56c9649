// A vector on the play page: its events for a controller, and whether the controller gives the expected answers.
"use strict";

(() => {
  const { stepsOf } = window.Play;
  const OBSERVED = ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome"];

  async function unpack(bytes) {
    const packed = bytes[0] === 0x1f && bytes[1] === 0x8b; // some servers unpack it
    const stream = new Blob([bytes]).stream();
    const vector = JSON.parse(await new Response(packed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream).text());
    if (!Array.isArray(vector.events) || typeof vector.profiles !== "object") throw new Error("this file is no vector: it has no events and profiles");
    return vector;
  }

  /** Load a vector of the site by its id. */
  async function loadVector(id) {
    if (!/^[a-z0-9-]+\.[a-z0-9.-]+$/.test(id)) throw new Error(`${id} is no id of a vector`);
    const [algorithm, ...name] = id.split(".");
    let response;
    try {
      response = await fetch(`vectors/${algorithm}/${name.join(".")}.json.gz`);
    } catch {
      throw new Error(`${id} cannot be read by a page that is opened from a file: choose vectors/${algorithm}/${name.join(".")}.json of the checkout below`);
    }
    if (!response.ok) throw new Error(`there is no vector ${id}`);
    return unpack(new Uint8Array(await response.arrayBuffer()));
  }

  const readVector = async (file) => unpack(new Uint8Array(await file.arrayBuffer()));

  /** Run one controller over the events of a vector. Throws FirstflightError. */
  function runVector(firstflight, vector, name) {
    const slash = name.indexOf("/");
    const [algorithm, profile] = [name.slice(0, slash), name.slice(slash + 1)];
    const steps = stepsOf(firstflight, vector.events, algorithm, profile, vector.config);
    return { name, algorithm, profile, steps, config: vector.config, judged: judge(vector, algorithm, profile, steps) };
  }

  // A vector lists only changes: omitted members keep their previous value.
  function judge(vector, algorithm, profile, steps) {
    const expectation = algorithm === vector.algorithm ? vector.profiles[profile] : undefined;
    if (!expectation) return { text: "this vector does not judge it", departs: -1 };
    const changes = new Map(expectation.expect.map((entry) => [entry.at, entry]));
    let now = {};
    let state = {};
    for (let i = 0; i < expectation.judged_events; i++) {
      const change = changes.get(i) ?? {};
      now = { ...now, ...change };
      state = { ...state, ...change.state };
      const { after } = steps[i];
      const wrong = OBSERVED.find((each) => String(now[each] ?? null) !== String(after[each] ?? null)) ??
        Object.keys(state).find((each) => String(state[each] ?? null) !== String(after.state?.[each] ?? null));
      if (wrong) return { text: `diverges from the vector at event ${i}, in ${wrong}`, departs: i };
    }
    return { text: `answers as the vector expects at all ${expectation.judged_events} judged events`, departs: -1 };
  }

  Object.assign(window.Play, { loadVector, readVector, runVector });
})();
