// The calculator of response times: the closed form and the path simulator, both in the module.
"use strict";

(() => {
  const FIELDS = {
    rate: ["rate, Mbit/s", 10, 1e-3, 1e6], rtt: ["RTT, ms", 200, 0.001, 1e5], size: ["size, kB", 65, 0.001, 1e8], iw: ["initial window, segments", 3, 1, 1000],
    mss: ["payload of a packet, bytes", 1448, 1, 65535], mtu: ["whole packet, bytes", 1500, 1, 65535], threshold: ["most of a first Jump-Start flight, bytes", 65536, 1, 1e9], approved: ["approved or named rate, Mbit/s", 5.12, 0.08, 1310.72],
  };
  // What the simulator has for a scheme, and for which approved rate its profile stands.
  const SCHEMES = {
    "slow-start": { title: "Slow start", controller: ["slow-start", "rfc-9002"] },
    "quick-start": { title: "Quick-Start", controller: ["quick-start", "rfc-4782"], approved: 5.12 },
    "jump-start": { title: "Jump-Start", controller: ["jumpstart", "pfldnet-2007"] },
    "more-start": { title: "More-Start", controller: ["jumpstart", "more-start"], approved: 10 },
  };

  const inputsOf = (values) => ({
    rate_bps: Math.round(values.rate * 1e6), rtt_ns: Math.round(values.rtt * 1e6), size_bytes: Math.round(values.size * 1000), mss_bytes: values.mss, mtu_bytes: values.mtu,
    initial_window_segments: values.iw, segments_per_ack: 1, threshold_bytes: values.threshold, approved_rate_bps: Math.round(values.approved * 1e6),
  });

  /** The response time of the model in ns; throws with the reason where the inputs are outside its domain. */
  function model(firstflight, scheme, values) {
    const message = { op: "compute", case: "c", algorithm: "transfer-time", profile: scheme, inputs: inputsOf(values) };
    const answer = JSON.parse(firstflight.answer(JSON.stringify(message)));
    if (answer.op !== "computed") throw new Error(answer.reason ?? "refused");
    if (answer.error) throw new Error(answer.error);
    return Number(answer.response_time_ns);
  }

  /** The time from the request to the last byte in the simulator, in ns, or null where it has no such scheme. */
  function simulated(firstflight, scheme, values) {
    const { controller, approved } = SCHEMES[scheme];
    if (!controller || (approved && approved !== values.approved) || values.size > 50000) return null;
    const rtt = Math.round(values.rtt * 1e6);
    const scenario = {
      format: 1, title: "a response", seed: 1, stop_ns: 600e9, after_slow_start_ns: 600e9,
      sender: { max_datagram_size_bytes: values.mss, initial_window_bytes: values.iw * values.mss, transfer_bytes: Math.round(values.size * 1000), paced: false, announced: true },
      // The rate counts whole packets, the link carries payload. The queue takes all that can come: the models know no loss.
      link: { rate_bps: Math.round((values.rate * 1e6 * values.mss) / values.mtu), forward_delay_ns: Math.floor(rtt / 2), return_delay_ns: rtt - Math.floor(rtt / 2), queue_bytes: 1e9, loss_ppm: 0, jitter_ns: 0 },
      receiver: { ack_every_packets: 1, max_ack_delay_ns: 25e6 },
    };
    // The last ACK arrives half an RTT after the last byte, and the request has taken as long.
    return Number(firstflight.simulate(scenario, ...controller).summary.duration_ns);
  }

  const isOfScharf = (values) => values.rate === 10 && values.rtt === 200;
  const published = (scheme, values) => (scheme === "jump-start" && isOfScharf(values) && values.size <= 65.536 ? "200 ms" : "");

  window.Calculate = { FIELDS, SCHEMES, model, simulated, published };
  if (typeof document === "undefined") return;

  const $ = (id) => document.getElementById(`calculate-${id}`);
  const ms = (ns) => `${(ns / 1e6).toLocaleString("en", { maximumFractionDigits: 3 })} ms`;
  let firstflight;

  function cell(content, tag = "td") {
    const made = document.createElement(tag);
    made.append(content);
    return made;
  }

  function show() {
    const values = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, Number($(name).value)]));
    const bad = Object.entries(FIELDS).find(([name, [, , least, most]]) => !(values[name] >= least && values[name] <= most));
    $("error").hidden = !bad;
    if (bad) return void ($("error").textContent = `${bad[1][0]}: must be from ${bad[1][2]} to ${bad[1][3]}`);
    history.replaceState(null, "", `#${new URLSearchParams(Object.entries(values))}`);
    const tried = (compute) => {
      try {
        return compute();
      } catch (error) {
        return error.message;
      }
    };
    const slow = tried(() => model(firstflight, "slow-start", values));
    $("rows").replaceChildren(...Object.entries(SCHEMES).map(([scheme, { title }]) => {
      const time = tried(() => model(firstflight, scheme, values));
      const other = tried(() => simulated(firstflight, scheme, values));
      const made = document.createElement("tr");
      const text = (value) => (value === null ? "" : typeof value === "number" ? ms(value) : value);
      const ratio = typeof time === "number" && typeof slow === "number" ? (slow / time).toFixed(2) : "";
      const there = published(scheme, values);
      const source = there ? Object.assign(document.createElement("a"), { textContent: there, href: "_generated/results.html" }) : "";
      made.append(cell(title, "th"), cell(text(time)), cell(ratio), cell(text(other)), cell(source));
      return made;
    }));
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
    $("form").addEventListener("submit", (event) => event.preventDefault());
    show();
  }

  addEventListener("DOMContentLoaded", begin);
})();
