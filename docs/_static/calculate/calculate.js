// The calculator of response times: the closed form and the path simulator, both in the module.
"use strict";

(() => {
  const FIELDS = {
    rate: ["rate, Mbit/s", 10, 1e-3, 1e6], rtt: ["RTT, ms", 200, 0.001, 1e5], size: ["size, kB", 65, 0.001, 1e8], iw: ["initial window, segments", 10, 1, 1000],
    mss: ["payload of a packet, bytes", 1448, 1, 65535], mtu: ["whole packet, bytes", 1500, 1, 65535], threshold: ["most of a first Jump-Start flight, bytes", 65536, 1, 1e9], approved: ["approved or named rate, Mbit/s", 5.12, 0.08, 1310.72],
  };
  /** Fields without fractions. */
  const WHOLE = ["iw", "mss", "mtu", "threshold"];
  // Profile of the simulator for each scheme, with the approved rate of the profile and the anchor of the equation.
  const SCHEMES = {
    "slow-start": { title: "Slow start", profile: "slow-start/rfc-9002", equation: "slow-start-equations-1-and-2" },
    "quick-start": { title: "Quick-Start", profile: "quick-start/rfc-4782", approved: 5.12, equation: "paced-start-equations-3-and-4" },
    "jump-start": { title: "Jump-Start", profile: "jumpstart/pfldnet-2007", equation: "paced-start-equations-3-and-4" },
    "more-start": { title: "More-Start", profile: "jumpstart/more-start", approved: 10, equation: "paced-start-equations-3-and-4" },
  };
  /** Threshold of jumpstart/scharf-2009 in bytes, the only profile with one. */
  const THRESHOLD = 65536;
  /** Largest difference of both columns in packet times. */
  const CLOSE = 2;

  const inputsOf = (values) => ({
    rate_bps: Math.round(values.rate * 1e6), rtt_ns: Math.round(values.rtt * 1e6), size_bytes: Math.round(values.size * 1000), mss_bytes: values.mss, mtu_bytes: values.mtu,
    initial_window_segments: values.iw, segments_per_ack: 1, threshold_bytes: values.threshold, approved_rate_bps: Math.round(values.approved * 1e6),
  });

  /** The response time of the model in ns; throws with the reason if the inputs are outside its domain. */
  function model(firstflight, scheme, values) {
    const message = { op: "compute", case: "c", algorithm: "transfer-time", profile: scheme, inputs: inputsOf(values) };
    const answer = JSON.parse(firstflight.answer(JSON.stringify(message)));
    if (answer.op !== "computed") throw new Error(answer.reason ?? "refused");
    if (answer.error) throw new Error(answer.error);
    return Number(answer.response_time_ns);
  }

  /** The first invalid field as [name, reason], or null. */
  function invalid(values) {
    for (const [name, [title, , least, most]] of Object.entries(FIELDS)) {
      if (!(values[name] >= least && values[name] <= most)) return [name, `${title}: must be from ${least} to ${most}`];
      if (WHOLE.includes(name) && !Number.isInteger(values[name])) return [name, `${title}: must be a whole number`];
    }
    return values.mss > values.mtu ? ["mss", `${FIELDS.mss[0]}: must not exceed the whole packet, ${values.mtu} bytes`] : null;
  }

  /** The simulator's profile of the scheme with these values; throws with the reason if the simulator lacks it. */
  function profileOf(scheme, values) {
    const { profile, approved } = SCHEMES[scheme];
    if (approved && approved !== values.approved) throw new Error(`simulated at a rate of ${approved} Mbit/s only`);
    if (values.size > 50000) throw new Error("simulated up to 50 MB only");
    if (scheme === "quick-start" && (values.approved * 1e3 * values.rtt * values.mss) / values.mtu < values.iw * values.mss * 8)
      throw new Error("the simulator sends the initial window, which exceeds the approved rate");
    if (scheme !== "jump-start" || values.size * 1000 <= values.threshold) return profile;
    if (values.threshold !== THRESHOLD) throw new Error(`above the threshold simulated with ${THRESHOLD} bytes only`);
    return "jumpstart/scharf-2009";
  }

  /** The time of a packet in ns: on the link, or between two paced packets of the first flight. */
  function packetTime(scheme, values) {
    const onLink = (values.mtu * 8e3) / values.rate;
    if (scheme === "slow-start") return onLink;
    const paced = Math.min(values.size * 1000, values.threshold) / values.mss;
    return Math.max(onLink, scheme === "jump-start" ? (values.rtt * 1e6) / Math.ceil(paced) : (values.mtu * 8e3) / values.approved);
  }

  /** The time of the simulator if it simulates the same scheme as the model; throws with the reason otherwise. */
  function compared(firstflight, scheme, values) {
    const packets = Math.abs(simulated(firstflight, scheme, values) - model(firstflight, scheme, values)) / packetTime(scheme, values);
    if (packets > CLOSE) throw new Error(`${packets.toFixed(0)} packet times from the closed form, which has no single packets`);
    return simulated(firstflight, scheme, values);
  }

  /** The time from the request to the last byte in the simulator, in ns. */
  function simulated(firstflight, scheme, values) {
    const controller = profileOf(scheme, values).split("/");
    const rtt = Math.round(values.rtt * 1e6);
    const scenario = {
      format: 1, title: "a response", seed: 1, stop_ns: 600e9, after_slow_start_ns: 600e9,
      sender: { max_datagram_size_bytes: values.mss, initial_window_bytes: values.iw * values.mss, transfer_bytes: Math.round(values.size * 1000), paced: false, announced: true },
      // The rate counts whole packets, the link carries payload. The queue is large enough: the models exclude loss.
      link: { rate_bps: Math.round((values.rate * 1e6 * values.mss) / values.mtu), forward_delay_ns: Math.floor(rtt / 2), return_delay_ns: rtt - Math.floor(rtt / 2), queue_bytes: 1e9, loss_ppm: 0, jitter_ns: 0 },
      receiver: { ack_every_packets: 1, max_ack_delay_ns: 25e6 },
    };
    // The last ACK arrives half an RTT after the last byte, and the request has taken as long.
    return Number(firstflight.simulate(scenario, ...controller).summary.duration_ns);
  }

  const isOfScharf = (values) => values.rate === 10 && values.rtt === 200;
  const published = (scheme, values) => (scheme === "jump-start" && isOfScharf(values) && values.size <= 65.536 ? "200 ms" : "");

  window.Calculate = { FIELDS, SCHEMES, CLOSE, invalid, model, simulated, compared, packetTime, published };
  if (typeof document === "undefined") return;

  const $ = (id) => document.getElementById(`calculate-${id}`);
  const ms = (ns) => `${(ns / 1e6).toLocaleString("en", { maximumFractionDigits: 3 })} ms`;
  let firstflight, shown;

  function cell(content, tag = "td") {
    const made = document.createElement(tag);
    made.append(content);
    return made;
  }

  function show() {
    const values = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, Number($(name).value)]));
    for (const name of Object.keys(FIELDS)) if ($(name).value.trim() === "") values[name] = NaN;
    const bad = invalid(values);
    $("error").hidden = !bad;
    $("table").hidden = $("take").hidden = Boolean(bad);
    for (const name of Object.keys(FIELDS)) $(name).setAttribute("aria-invalid", String(bad?.[0] === name));
    if (bad) {
      $("rows").replaceChildren();
      return void ($("error").textContent = bad[1]);
    }
    history.replaceState(null, "", `#${new URLSearchParams(Object.entries(values))}`);
    const tried = (compute) => {
      try {
        return compute();
      } catch (error) {
        return error.message;
      }
    };
    const slow = tried(() => model(firstflight, "slow-start", values));
    shown = { inputs: inputsOf(values), rows: [] };
    $("rows").replaceChildren(...Object.entries(SCHEMES).map(([scheme, { title, equation }]) => {
      const time = tried(() => model(firstflight, scheme, values));
      const other = tried(() => compared(firstflight, scheme, values));
      const made = document.createElement("tr");
      const text = (value) => (typeof value === "number" ? ms(value) : Object.assign(document.createElement("small"), { textContent: value }));
      const number = (value) => (typeof value === "number" ? value : null);
      const ratio = typeof time === "number" && typeof slow === "number" ? (slow / time).toFixed(2) : "";
      const there = published(scheme, values);
      const source = there ? Object.assign(document.createElement("a"), { textContent: there, href: "_generated/results.html" }) : "";
      shown.rows.push({ scheme, model_ns: number(time), speedup: ratio ? Number(ratio) : null, simulated_ns: number(other), why_not: typeof other === "string" ? other : null });
      const name = Object.assign(document.createElement("a"), { textContent: title, href: `transfer-time.html#${equation}` });
      made.append(cell(name, "th"), cell(text(time)), cell(ratio), cell(text(other)), cell(source));
      return made;
    }));
  }

  function save(name, type, text) {
    const link = Object.assign(document.createElement("a"), { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** The rows as CSV: inputs first, one line for each scheme. */
  function csv({ inputs, rows }) {
    const quoted = (value) => (value === null ? "" : /[",]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const lines = rows.map((row) => [...Object.values(inputs), ...Object.values(row)].map(quoted).join(","));
    return `${[...Object.keys(inputs), ...Object.keys(rows[0])].join(",")}\n${lines.join("\n")}\n`;
  }

  async function begin() {
    if (!window.FIRSTFLIGHT_WASM) return;
    firstflight = await window.Firstflight.load(Uint8Array.from(atob(window.FIRSTFLIGHT_WASM), (byte) => byte.charCodeAt(0)));
    const given = new URLSearchParams(location.hash.slice(1));
    for (const [name, [title, value, min, max]] of Object.entries(FIELDS)) {
      const label = Object.assign(document.createElement("label"), { textContent: `${title} ` });
      label.append(Object.assign(document.createElement("input"), { id: `calculate-${name}`, type: "number", step: "any", min, max, value: given.get(name) ?? value }));
      $("form").append(label);
    }
    $("missing").hidden = true;
    $("form").hidden = $("table").hidden = false;
    $("form").addEventListener("input", show);
    $("csv").addEventListener("click", () => save("response-times.csv", "text/csv", csv(shown)));
    $("json").addEventListener("click", () => save("response-times.json", "application/json", `${JSON.stringify(shown, null, 1)}\n`));
    $("form").addEventListener("submit", (event) => event.preventDefault());
    show();
  }

  addEventListener("DOMContentLoaded", begin);
})();
