// The page "Watch it start": reads the address, runs one or two controllers in the module, and lets the reader step through them.
"use strict";

(() => {
  const { PRESETS, NUMBERS, UNITS, bdpOf, queueOf, measures, run, tableOf, runVector, loadVector, readVector, divergence, explain, drawRuns, vectorOf, save, bytes } = window.Play;
  const $ = (id) => document.getElementById(`play-${id}`);
  const LABELS = {
    rate: "rate, Mbit/s", rtt: "RTT, ms", queue: "queue", loss: "loss, %", jitter: "jitter, ms", every: "packets per ACK",
    paced: "paced (0 or 1)", size: "size, MB (0: no end)", iw: "initial window, datagrams", saved: "saved window, BDP (0: none)",
  };
  const LIMITS = { rate: [0.1, 1000], rtt: [1, 2000], queue: [0, 1e9], loss: [0, 100000], jitter: [0, 200], every: [1, 50], paced: [0, 1], size: [0, 50], iw: [1, 200], saved: [0, 100] };

  let firstflight;
  let runs = [];
  let vector = null; // the played vector, or null on a path
  let seen = null; // the answer of a stack to one of its events
  let at = 0;
  let scales = [];
  let timer = null;

  // Addresses have the loss in packets per million, the field in percent.
  const IN_FIELD = { loss: 1e4 };
  /** The largest queue in BDP. */
  const LONGEST_QUEUE = 20;
  const read = (name) => ($(name).value.trim() === "" ? NaN : Number((Number($(name).value) * (IN_FIELD[name] ?? 1)).toPrecision(12)));
  const write = (name, value) => ($(name).value = Number((value / (IN_FIELD[name] ?? 1)).toPrecision(12)));
  const path = () => ({ ...Object.fromEntries(NUMBERS.map((name) => [name, read(name)])), unit: $("unit").value });
  const first = () => runs[0];
  const stepAt = () => first().steps[at];

  // --- the address has the whole state: path, controllers and step ---
  function toAddress() {
    const values = new URLSearchParams({ a: $("a").value });
    if ($("b").value) values.set("b", $("b").value);
    if (vector) values.set("vector", vector.id);
    else for (const [name, value] of Object.entries(path())) if (name !== "unit" || value !== "bdp") values.set(name, value);
    values.set("step", at);
    for (const [name, value] of Object.entries(seen ?? {})) values.set(name, value);
    history.replaceState(null, "", `#${values}`);
  }

  function fromAddress() {
    const values = new URLSearchParams(location.hash.slice(1));
    fill(PRESETS["deep-queue"]);
    const told = [];
    if (values.has("unit")) {
      if (values.get("unit") in UNITS) $("unit").value = values.get("unit");
      else told.push(`There is no unit ${values.get("unit")} of a queue: BDP is used.`);
    }
    for (const name of NUMBERS) if (values.has(name)) told.push(...taken(name, values.get(name)));
    told.push(...choose("a", values.get("a") ?? (vector ? judgedFirst() : "search/draft-09"), "search/draft-09"), ...choose("b", values.get("b") ?? "", ""));
    notice(told);
    seen = vector && values.has("of") ? Object.fromEntries(["of", "cwnd", "at"].map((name) => [name, values.get(name) ?? ""])) : null;
    return Number(values.get("step") ?? 0) || 0;
  }

  const judgedFirst = () => `${vector.algorithm}/${Object.keys(vector.profiles)[0]}`;

  // A vector in the address is loaded first. If that fails the page stays, and a file can be chosen.
  async function open(file) {
    stop();
    try {
      const id = new URLSearchParams(location.hash.slice(1)).get("vector");
      vector = file ? await readVector(file) : id ? await loadVector(id) : null;
      fault("");
    } catch (error) {
      vector = null;
      return fault(error.message);
    }
    for (const id of ["numbers", "paths", "save-scenario"]) $(id).hidden = vector !== null;
    $("vector").hidden = vector === null;
    if (vector) aboutVector();
    const step = file ? 0 : fromAddress();
    if (file) choose("a", judgedFirst());
    start(step);
  }

  function aboutVector() {
    const [group, topic] = vector.id.split(".");
    const link = linkTo(`_generated/vectors/${group}-${topic}.html#vector-${vector.id.replaceAll(".", "-")}`, vector.id);
    $("vector").replaceChildren("The vector ", link, `: ${vector.title}. `, linkTo("play.html", "Back to paths"));
  }

  function fault(message) {
    $("error").textContent = message;
    $("error").hidden = !message;
  }

  function notice(told) {
    $("notice").replaceChildren(...told.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    $("notice").hidden = told.length === 0;
  }

  /** Choose a controller; replace an unknown profile by the first of its algorithm, or by another. Returns messages. */
  function choose(id, name, other = name) {
    const names = [...$(id).options].map((option) => option.value);
    const near = names.includes(name) ? name : (names.find((each) => each && each.startsWith(`${name.split("/")[0]}/`)) ?? other);
    $(id).value = near;
    return near === name ? [] : [`There is no profile ${name}: ${near ? `${near} is shown` : "nothing is compared"}.`];
  }

  /** Copy a number of the address, or the nearest valid number, into its field. Returns the messages. */
  function taken(name, text) {
    const value = Number(text), [least, most] = LIMITS[name];
    if (text.trim() === "" || !Number.isFinite(value)) return [`${LABELS[name]}: ${text || "nothing"} is not a number; ${$(name).value} is used.`];
    const near = Math.min(Math.max(value, least), most);
    write(name, near);
    return near === value ? [] : [`${LABELS[name]}: ${text} is outside ${least} to ${most}; ${near} is used.`];
  }

  function fill(preset) {
    $("unit").value = "bdp";
    NUMBERS.forEach((name) => write(name, preset[name] ?? 0));
  }

  // --- the current step ---
  function row(name, before, after) {
    const cells = [name, before, after].map((text, i) => {
      const cell = document.createElement(i === 0 ? "th" : "td");
      cell.textContent = text ?? "none";
      return cell;
    });
    const found = document.createElement("tr");
    found.append(...cells);
    if (String(before ?? "none") !== String(after ?? "none")) found.className = "changed";
    return found;
  }

  function describe(event) {
    const told = [event.ev.replaceAll("_", " ")];
    if (event.packets?.length) told.push(`packets ${event.packets[0][0]} to ${event.packets.at(-1)[1]}, ${bytes(event.bytes)}`);
    if (event.latest_rtt_ns) told.push(`RTT ${(event.latest_rtt_ns / 1e6).toFixed(3)} ms`);
    return told.join(", ");
  }

  const linkTo = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text });
  const several = (links) => (links.length === 0 ? ["none"] : links.flatMap(([text, href], i) => [i > 0 ? ", " : "", linkTo(href, text)]));

  function show(index) {
    at = Math.max(0, Math.min(index, first().steps.length - 1));
    const step = stepAt();
    scales.forEach((scale) => scale.show(step.t));
    $("position").textContent = `event ${at} of 0 to ${first().steps.length - 1}, ${step.t.toFixed(3)} ms: ${describe(step.event)}`;
    $("outcome").textContent = `outcome: ${step.after.outcome.replaceAll("_", " ")}`;
    if (seen && at === Number(seen.at)) $("outcome").textContent += `; ${seen.of} has a window of ${seen.cwnd} bytes here, the model ${step.after.cwnd_bytes}`;
    const told = explain(first(), step);
    $("rule").hidden = $("traces").hidden = told === null;
    if (told !== null) {
      $("rule").replaceChildren(linkTo(told.page, told.clause), told.level === "-" ? "" : ` (${told.level})`, `: ${told.formula}`);
      $("traces").replaceChildren("Python: ", ...several(told.python), ". C: ", ...several(told.c), ". Vectors: ", told.vectors ? linkTo(told.vectors[1], told.vectors[0]) : "none", ".");
    }
    const names = new Set([...Object.keys(step.before.state ?? {}), ...Object.keys(step.after.state ?? {})]);
    $("state").replaceChildren(
      row("cwnd_bytes", step.before.cwnd_bytes, step.after.cwnd_bytes),
      row("ssthresh_bytes", step.before.ssthresh_bytes ?? "infinite", step.after.ssthresh_bytes ?? "infinite"),
      row("phase", step.before.phase, step.after.phase),
      ...[...names].map((name) => row(name, step.before.state?.[name], step.after.state?.[name])),
    );
    toAddress();
  }

  const decision = (from, way) => {
    for (let i = from + way; i >= 0 && i < first().steps.length; i += way) if (first().steps[i].decision) return i;
    return from;
  };

  function tableOfDecisions() {
    const rows = runs.flatMap((each) => each.steps.filter((step) => step.decision).map((step) => {
      const found = document.createElement("tr");
      const values = [each.name, step.t.toFixed(3), step.event.ev, step.after.phase, step.after.outcome, step.after.cwnd_bytes, step.after.ssthresh_bytes ?? "infinite"];
      found.append(...values.map((value) => Object.assign(document.createElement("td"), { textContent: String(value).replaceAll("_", " ") })));
      return found;
    }));
    $("decisions").replaceChildren(...rows);
  }

  function results() {
    const told = runs.map(({ name, steps, summary, judged }) => {
      if (vector) return `${name} ${judged.text}.`;
      const ended = summary.slow_start_ended_ns === null ? "does not leave slow start" : `leaves slow start after ${(summary.slow_start_ended_ns / 1e6).toFixed(1)} ms`;
      const { rtt_ms, goodput, exit_bdp } = measures({ steps }, path());
      const exit = exit_bdp === null ? "" : ` at ${exit_bdp.toFixed(2)} BDP`;
      const measured = `${rtt_ms ? ` RTT ${rtt_ms[0].toFixed(1)} to ${rtt_ms[1].toFixed(1)} ms;` : ""}${goodput === null ? "" : ` goodput ${goodput.toFixed(1)} Mbit/s;`}`;
      return `${name} ${ended}${exit};${measured} largest window ${bytes(summary.largest_cwnd_bytes)}, at the end ${bytes(summary.final_cwnd_bytes)}; ${summary.dropped_packets} packets dropped by the queue.`;
    });
    const parted = runs.length === 2 ? divergence(...runs) : -1;
    $("diverge").disabled = parted < 0;
    $("diverge").dataset.step = parted;
    if (runs.length === 2) told.push(parted < 0 ? "Both runs are equal on this path." : `First divergence: event ${parted}.`);
    $("summary").replaceChildren(...told.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  }

  function check(values) {
    for (const [name, [least, most]] of Object.entries(LIMITS)) {
      const scale = IN_FIELD[name] ?? 1;
      if (!(values[name] >= least && values[name] <= most)) throw new Error(`${LABELS[name]}: must be from ${least / scale} to ${most / scale}`);
    }
    if (queueOf(values) > LONGEST_QUEUE * bdpOf(values)) throw new Error(`${LABELS.queue}: must be at most ${LONGEST_QUEUE} BDP, ${bytes(LONGEST_QUEUE * bdpOf(values))}`);
    if (values.rate * values.rtt > 100000) throw new Error("rate and RTT: the path holds more than 12.5 MB; choose a smaller one");
  }

  function start(step = 0) {
    stop();
    try {
      if (!vector) check(path());
      runs = [$("a").value, $("b").value].filter(Boolean).map((name) => (vector ? runVector(firstflight, vector, name) : run(firstflight, path(), name)));
      fault("");
      $("stage").classList.remove("invalid");
    } catch (error) {
      $("stage").classList.add("invalid"); // hides the results of the last valid path
      return fault(error.message);
    }
    // The RTTs of a vector begin with its first sample: a run with the RTT of a handshake cannot be saved as a vector.
    $("save-vector").hidden = vector === null && first().scenario.sender.announced === true;
    scales = drawRuns(runs, { path: vector ? null : path(), seen });
    results();
    tableOfDecisions();
    show(step);
  }

  // --- exports ---
  const EXPORTS = {
    vector: () => {
      const taken = vector ?? vectorOf(first());
      save(`${taken.id}.json`, JSON.stringify(taken, null, 2), "application/json");
    },
    scenario: () => save("scenario.json", JSON.stringify(first().scenario, null, 2), "application/json"),
    events: () => save("events.jsonl", first().steps.map(({ event, after }) => JSON.stringify({ event, observed: after })).join("\n") + "\n", "application/jsonl"),
    csv: () => save("start.csv", tableOf(first()), "text/csv"),
    link: () => navigator.clipboard?.writeText(location.href),
    command: () => navigator.clipboard?.writeText(vector ? `firstflight show ${vector.id}@${first().profile}` : command()),
  };

  /** A command to paste: it writes the scenario and simulates it. */
  const command = () => `cat > scenario.json <<'END'\n${JSON.stringify(first().scenario)}\nEND\nfirstflight simulate scenario.json --algorithm ${first().algorithm} --profile ${first().profile}`;

  // --- moving ---
  function stop() {
    clearInterval(timer);
    timer = null;
    $("go").textContent = "Play";
  }

  function playOrPause() {
    if (timer !== null) return stop();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    $("go").textContent = "Pause";
    timer = setInterval(() => {
      const next = still ? decision(at, 1) : at + 1;
      if (next === at || next >= first().steps.length) return stop();
      show(next);
    }, still ? 1500 : 40);
  }

  const MOVES = {
    begin: () => show(0), back: () => show(at - 1), forward: () => show(at + 1), end: () => show(first().steps.length - 1),
    previous: () => show(decision(at, -1)), next: () => show(decision(at, 1)), diverge: () => show(Number($("diverge").dataset.step)), go: playOrPause,
  };
  const KEYS = { Home: "begin", ArrowLeft: "back", ArrowRight: "forward", End: "end", PageUp: "previous", PageDown: "next", " ": "go" };

  function wire() {
    for (const [name, move] of Object.entries(MOVES)) $(name).addEventListener("click", () => { if (name !== "go") stop(); move(); });
    for (const [name, take] of Object.entries(EXPORTS)) $(`save-${name}`).addEventListener("click", take);
    $("form").addEventListener("change", (event) => {
      if (event.target === $("file")) return open($("file").files[0]);
      if (event.target === $("preset") && $("preset").value) fill(PRESETS[$("preset").value]);
      notice([]);
      start();
    });
    $("form").addEventListener("submit", (event) => event.preventDefault());
    $("stage").addEventListener("keydown", (event) => {
      if (!(event.key in KEYS) || event.target.tagName === "BUTTON") return;
      event.preventDefault();
      event.stopPropagation();
      MOVES[KEYS[event.key]]();
    });
    $("windows").addEventListener("click", (event) => {
      const t = scales[0].timeOf(event.clientX);
      const index = first().steps.findIndex((step) => step.t >= t);
      show(index < 0 ? first().steps.length - 1 : index);
    });
    addEventListener("hashchange", () => open());
  }

  function options() {
    const { algorithms } = JSON.parse(firstflight.answer('{"op":"hello","protocol":1}'));
    const groups = () => Object.entries(algorithms).filter(([name]) => name !== "transfer-time").map(([algorithm, profiles]) => {
      const group = Object.assign(document.createElement("optgroup"), { label: algorithm });
      group.append(...profiles.map((profile) => new Option(`${algorithm}/${profile}`, `${algorithm}/${profile}`)));
      return group;
    });
    $("a").append(...groups());
    $("b").append(new Option("nothing", ""), ...groups());
    $("preset").append(new Option("paths …", ""), ...Object.entries(PRESETS).map(([name, { title }]) => new Option(title, name)));
    $("numbers").append(...NUMBERS.map((name) => {
      const label = Object.assign(document.createElement("label"), { textContent: `${LABELS[name]} ` });
      const scale = IN_FIELD[name] ?? 1;
      label.append(Object.assign(document.createElement("input"), { id: `play-${name}`, type: "number", min: LIMITS[name][0] / scale, max: LIMITS[name][1] / scale, step: "any" }));
      if (name === "queue") {
        const unit = Object.assign(document.createElement("select"), { id: "play-unit", ariaLabel: "unit of the queue" });
        unit.append(...Object.entries(UNITS).map(([value, text]) => new Option(text, value)));
        label.append(" ", unit);
      }
      return label;
    }));
  }

  async function begin() {
    const code = window.FIRSTFLIGHT_WASM;
    if (!code) return; // the page explains how to build it
    firstflight = await window.Firstflight.load(Uint8Array.from(atob(code), (byte) => byte.charCodeAt(0)));
    options();
    wire();
    $("missing").hidden = true;
    $("stage").hidden = false;
    await open();
  }

  addEventListener("DOMContentLoaded", begin);
})();
