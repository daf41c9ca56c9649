// The quantities in addition to the window that decide in each controller: the plots below the plot of the windows.
"use strict";

(() => {
  const { comparisonOf, eighth } = window.Play;
  const KB = { name: "kB", scale: 1000 };
  const MS = { name: "ms", scale: 1e6 };
  const RATIO = { name: "", scale: 1 };
  const PACKETS = { name: "pkts", scale: 1 };
  const number = (value) => (value === null || value === undefined ? null : Number(value));
  const of = (member) => (step) => number(step.after.state?.[member]);
  const plus = (member) => (step) => (of(member)(step) === null ? null : of(member)(step) + eighth(of(member)(step)));

  // W_cubic of RFC 9438, section 4.2, in bytes, for display only; the controller computes with integers.
  const wCubic = (run) => (step) => {
    const { w_max_bytes: most, k_ns: k, epoch_start_ns: epoch } = step.after.state ?? {};
    if (!(most > 0) || k === null || k === undefined || epoch === null || epoch === undefined) return null;
    const seconds = (Number(step.event.t_ns) - Number(epoch) - Number(k)) / 1e9;
    return Math.max(0, Number(most) + 0.4 * run.config.max_datagram_size_bytes * seconds ** 3);
  };

  // The bytes of a bin are final when it ends.
  const endedBin = (step) => (step.before.state?.bin >= 0 && step.after.state?.bin !== step.before.state.bin ? number(step.before.state.open_bin_bytes) : null);

  /** The plots of each algorithm, with unit and lines; `height` if it is not the default. */
  const PLOTS = {
    search: (run) => {
      const { sent, threshold, normDiff } = comparisonOf(run);
      const difference = (step) => (step.after.state?.previous_bytes > 0 ? normDiff(step.after.state.previous_bytes, step.after.state.current_bytes) : null);
      const earlier = (step) => (of("previous_bytes")(step) === null ? null : (sent ? 1 : 2) * of("previous_bytes")(step));
      return [
        { unit: KB, lines: [["curr, the later window", of("current_bytes")], [sent ? "sent, one RTT earlier" : "2 prev, the earlier window twice", earlier]] },
        { unit: RATIO, lines: [["norm_diff", difference]], levels: [{ label: `threshold ${threshold}`, value: threshold }], height: 120 },
        { unit: KB, lines: [["bytes of each bin", endedBin]], height: 110 },
      ];
    },
    hystart: () => [{ unit: MS, lines: [["minimum RTT of the round", of("current_min_rtt_ns")], ["minimum RTT + threshold", plus("min_rtt_ns")]] }],
    hystartpp: () => [{ unit: MS, lines: [["currentRoundMinRTT", of("current_min_rtt_ns")], ["lastRoundMinRTT", of("last_min_rtt_ns")], ["lastRoundMinRTT + RttThresh", plus("last_min_rtt_ns")]] }],
    suss: () => [{ unit: MS, lines: [["minimum RTT of the round", of("current_min_rtt_ns")], ["minimum RTT + threshold", plus("min_rtt_ns")]] }],
    "careful-resume": () => [{ unit: KB, lines: [["PipeSize", of("pipesize_bytes")], ["saved window", of("saved_cwnd_bytes")], ["jump", of("jump_bytes")]] }],
    cubic: (run) => [{ unit: KB, lines: [["W_cubic", wCubic(run)], ["W_max", of("w_max_bytes")], ["W_est", of("w_est_bytes")]] }],
    jumpstart: () => [{ unit: PACKETS, lines: [["packets sent", of("sent_packets")], ["packets planned", of("planned_packets")]] }],
    "quick-start": () => [{ unit: PACKETS, lines: [["packets sent", of("sent_packets")], ["packets planned", of("planned_packets")]] }],
    bbr: () => [{ unit: KB, lines: [["product", of("bdp_bytes")], ["BBR.max_inflight", of("max_inflight_bytes")]] }],
    "rapid-start": () => [{ unit: MS, lines: [["RTT floor", of("rtt_floor_ns")], ["min_rtt", of("min_rtt_ns")]] }],
    "tcb-sharing": () => [{ unit: KB, lines: [["cached cwnd", of("cached_cwnd_bytes")], ["cached ssthresh", of("cached_ssthresh_bytes")]] }],
    hybla: () => [{ unit: RATIO, lines: [["rho", (step) => (of("rho_fixed")(step) === null ? null : of("rho_fixed")(step) / 65536)]], height: 120 }],
  };
  // Default for other algorithms: the RTT, which every start uses or raises.
  const REST = () => [{ unit: MS, lines: [["latest RTT", (step) => number(step.event.latest_rtt_ns)]] }];

  const hasPoints = ({ lines }, run) => lines.some(([, value]) => run.steps.some((step) => value(step) !== null));

  /** The plots of a run: its algorithm's plots that have points, or else its RTT. */
  function plotsOf(run) {
    const own = (PLOTS[run.algorithm] ?? REST)(run).filter((plot) => hasPoints(plot, run));
    return own.length > 0 ? own : REST().filter((plot) => hasPoints(plot, run));
  }

  /** The phases of a run as spans of its time. */
  function phasesOf(run, end) {
    const spans = [];
    for (const { t, after } of run.steps) {
      if (spans.at(-1)?.phase === after.phase) continue;
      if (spans.length > 0) spans.at(-1).to = t;
      spans.push({ phase: after.phase, from: t, to: end });
    }
    return spans.filter((span) => span.to > span.from);
  }

  Object.assign(window.Play, { plotsOf, phasesOf });
})();
