// Runs of the play page: runs a controller in a scenario. A step is an event with the observables before and after it.
"use strict";
window.Play = window.Play || {};

(() => {
  const MS = 1e6;
  // Outcomes of ordinary acknowledgements. A decision is an event with another outcome, or with a change of the phase.
  const ROUTINE = new Set([
    "unchanged", "sent", "grown", "grown_avoidance", "in_recovery", "already_reduced", "same_bin", "warming_up", "below_threshold", "app_limited", "draining",
    "conservative_grown", "limited_grown", "rapid_grown", "reduced_further", "window_kept", "window_not_full",
  ]);

  const PRESETS = {
    "deep-queue": { title: "a deep queue: 3 BDP", rate: 20, rtt: 100, queue: 3, loss: 0, jitter: 0, every: 2, paced: 0, size: 0, iw: 10 },
    shallow: { title: "a shallow queue: half a BDP", rate: 20, rtt: 100, queue: 0.5, loss: 0, jitter: 0, every: 2, paced: 0, size: 0, iw: 10 },
    satellite: { title: "a geostationary satellite", rate: 20, rtt: 600, queue: 1, loss: 0, jitter: 0, every: 2, paced: 1, size: 0, iw: 10 },
    jitter: { title: "a radio link with 10 ms of jitter", rate: 50, rtt: 40, queue: 1, loss: 0, jitter: 10, every: 2, paced: 0, size: 0, iw: 10 },
    lossy: { title: "one packet in a thousand lost", rate: 20, rtt: 100, queue: 1, loss: 1000, jitter: 0, every: 2, paced: 0, size: 0, iw: 10 },
    "saved-too-high": { title: "a saved window of 4 BDP", rate: 20, rtt: 100, queue: 1, loss: 0, jitter: 0, every: 2, paced: 1, size: 0, iw: 10, saved: 4 },
  };
  const NUMBERS = ["rate", "rtt", "queue", "loss", "jitter", "every", "paced", "size", "iw", "saved"];
  const DATAGRAM = 1200;

  // 1 BDP in bytes: rate in Mbit/s, RTT in ms.
  const bdpOf = (path) => Math.round((path.rate * path.rtt * 1000) / 8);

  // Bytes of the queue; `unit` of the path is bdp, packets, ms (at the rate of the link) or bytes.
  const QUEUE = {
    bdp: (path) => path.queue * bdpOf(path), packets: (path) => path.queue * DATAGRAM,
    ms: (path) => path.queue * path.rate * 125, bytes: (path) => path.queue,
  };
  const UNITS = { bdp: "BDP", packets: "packets", ms: "ms", bytes: "bytes" };
  const queueOf = (path) => Math.round(QUEUE[path.unit ?? "bdp"](path));

  function scenarioOf(path, algorithm) {
    const bdp = bdpOf(path);
    const announced = ["jumpstart", "quick-start", "rapid-start", "tcb-sharing"].includes(algorithm);
    return {
      format: 1,
      title: `${path.rate} Mbit/s, ${path.rtt} ms, a queue of ${path.queue} ${UNITS[path.unit ?? "bdp"]}`,
      seed: 1,
      stop_ns: Math.max(4e9, Math.min(40 * path.rtt * MS, 6e10)),
      after_slow_start_ns: 10 * path.rtt * MS,
      sender: {
        max_datagram_size_bytes: DATAGRAM,
        initial_window_bytes: path.iw * DATAGRAM,
        transfer_bytes: path.size > 0 ? Math.round(path.size * 1e6) : announced ? Math.max(4 * bdp, 100000) : null,
        paced: path.paced > 0,
        ...(path.saved > 0 ? { saved_cwnd_bytes: Math.round(path.saved * bdp) } : {}),
        ...(announced ? { announced: true } : {}),
      },
      link: {
        rate_bps: Math.round(path.rate * 1e6),
        forward_delay_ns: Math.round((path.rtt * MS) / 2),
        return_delay_ns: Math.round((path.rtt * MS) / 2),
        queue_bytes: queueOf(path),
        loss_ppm: Math.round(path.loss),
        jitter_ns: Math.round(path.jitter * MS),
      },
      receiver: { ack_every_packets: path.every, max_ack_delay_ns: 25 * MS },
    };
  }

  function stepsOf(firstflight, events, algorithm, profile, config) {
    const controller = firstflight.controller(algorithm, profile, config);
    let before = { cwnd_bytes: config.initial_window_bytes, ssthresh_bytes: null, phase: "slow_start", state: {} };
    const start = Number(events[0]?.t_ns ?? 0);
    return events.map((event, index) => {
      const after = controller.step(event);
      const step = {
        index, event, before, after,
        t: (Number(event.t_ns) - start) / MS,
        flight: event.bytes_in_flight,
        decision: after.phase !== before.phase || !ROUTINE.has(after.outcome),
      };
      before = after;
      return step;
    });
  }

  /** Run one controller over a path. Throws FirstflightError. */
  function run(firstflight, path, name) {
    const slash = name.indexOf("/");
    const [algorithm, profile] = [name.slice(0, slash), name.slice(slash + 1)];
    const scenario = scenarioOf(path, algorithm);
    const { events, summary } = firstflight.simulate(scenario, algorithm, profile);
    return { name, algorithm, profile, scenario, summary, config: scenario.sender, steps: stepsOf(firstflight, events, algorithm, profile, scenario.sender) };
  }

  /** Smallest and largest RTT in ms, goodput in Mbit/s, and the window at the slow start exit in BDP, or null. */
  function measures({ steps }, path) {
    const acks = steps.filter(({ event }) => event.ev === "ack");
    const rtts = acks.map(({ event }) => event.latest_rtt_ns).filter((rtt) => rtt !== null && rtt !== undefined).map((rtt) => Number(rtt) / MS);
    const delivered = acks.reduce((total, { event }) => total + event.bytes, 0);
    const exit = steps.find(({ before, after }) => before.phase === "slow_start" && after.phase !== "slow_start");
    return {
      rtt_ms: rtts.length ? [rtts.reduce((a, b) => Math.min(a, b)), rtts.reduce((a, b) => Math.max(a, b))] : null,
      goodput: acks.length && acks.at(-1).t > 0 ? (delivered * 8) / (acks.at(-1).t * 1000) : null,
      exit_bdp: exit ? exit.before.cwnd_bytes / bdpOf(path) : null,
    };
  }

  const COLUMNS = ["t_ms", "rtt_ms", "acked_bytes", "lost_bytes", "in_flight_bytes", "cwnd_bytes", "ssthresh_bytes", "event", "phase", "outcome"];

  /** A CSV of a run, a row per event, with the columns that "Judge a log" and `firstflight judge` read. */
  function tableOf({ steps }) {
    let flight = 0;
    const rows = steps.map(({ t, event, after }) => {
      flight = event.bytes_in_flight ?? flight;
      const rtt = event.latest_rtt_ns ? Number(event.latest_rtt_ns) / MS : "";
      const of = (kind) => (event.ev === kind ? event.bytes : 0);
      return [t, rtt, of("ack"), of("lost"), flight, after.cwnd_bytes, after.ssthresh_bytes ?? "", event.ev, after.phase, after.outcome];
    });
    return [COLUMNS, ...rows].map((row) => `${row.join(",")}\n`).join("");
  }

  /** The index of the first step with a different event or window in two runs, or -1. */
  function divergence(a, b) {
    const count = Math.min(a.steps.length, b.steps.length);
    for (let i = 0; i < count; i++) {
      const [x, y] = [a.steps[i], b.steps[i]];
      if (x.after.cwnd_bytes !== y.after.cwnd_bytes || JSON.stringify(x.event) !== JSON.stringify(y.event)) return i;
    }
    return a.steps.length === b.steps.length ? -1 : count;
  }

  Object.assign(window.Play, { PRESETS, NUMBERS, UNITS, bdpOf, queueOf, measures, scenarioOf, stepsOf, run, tableOf, divergence });
})();
