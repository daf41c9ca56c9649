// What a step says of itself: the rule behind its outcome, and the rule's formula with the numbers of this event in it.
"use strict";

(() => {
  const bytes = (value) => (value === null || value === undefined ? "none" : `${Number(value).toLocaleString("en")} B`);
  const ms = (value) => (value === null || value === undefined ? "none" : `${(Number(value) / 1e6).toFixed(3)} ms`);
  const isAck = (step) => step.event.ev === "ack";

  // Each rule: which steps it is of, its clause, and the formula. The first that fits is shown.
  const RULES = [
    {
      of: (run, step) => run.algorithm === "search" && isAck(step) && step.after.state?.previous_bytes > 0 && step.after.state?.bin !== step.before.state?.bin,
      clause: "search.threshold.reached",
      formula: (run, step) => {
        const { current_bytes: current, previous_bytes: previous } = step.after.state;
        // Profiles that compare with bytes sent do not double the earlier window.
        const sent = window.FIRSTFLIGHT_SEARCH_SENT.includes(run.profile.split("+")[0]);
        const earlier = sent ? previous : 2 * previous;
        const told = sent ? bytes(previous) : `2 × ${bytes(previous)}`;
        return `norm_diff = (${told} − ${bytes(current)}) / (${told}) = ${((earlier - current) / earlier).toFixed(4)}` +
          (step.after.outcome === "exited" ? ": slow start ends" : ": below the threshold of this profile, slow start goes on");
      },
    },
    {
      of: (run, step) => run.algorithm === "hystartpp" && isAck(step) && step.after.state?.rtt_samples >= 8 && step.after.state?.last_min_rtt_ns,
      clause: "hystartpp.delay",
      formula: (run, step) => {
        const { current_min_rtt_ns: current, last_min_rtt_ns: last } = step.after.state;
        const threshold = Math.min(Math.max(Math.floor(last / 8), 4e6), 16e6);
        return `currentRoundMinRTT ${ms(current)} against lastRoundMinRTT ${ms(last)} + RttThresh ${ms(threshold)} = ${ms(Number(last) + threshold)}`;
      },
    },
    {
      of: (run, step) => run.algorithm === "careful-resume" && step.after.phase !== step.before.phase,
      clause: "careful-resume.unvalidated.pipesize",
      formula: (run, step) => {
        const { saved_cwnd_bytes: saved, jump_bytes: jump, pipesize_bytes: pipe } = step.after.state ?? {};
        return `phase ${step.before.phase} → ${step.after.phase}; saved window ${bytes(saved)}, jump ${bytes(jump)}, PipeSize ${bytes(pipe)}`;
      },
    },
    {
      of: (run, step) => run.algorithm === "jumpstart" && /jump/.test(step.after.outcome),
      clause: "jumpstart.amount.packets",
      formula: (run, step) => `${step.after.state.planned_packets} packets planned for one RTT, ${step.after.state.sent_packets} sent`,
    },
    {
      of: (run, step) => isAck(step) && step.after.outcome === "grown",
      clause: "slow-start.grow",
      formula: (run, step) => `cwnd = ${bytes(step.before.cwnd_bytes)} + ${bytes(step.after.cwnd_bytes - step.before.cwnd_bytes)} of ${bytes(step.event.bytes)} acknowledged`,
    },
    {
      of: (run, step) => step.after.outcome === "reduced",
      clause: "slow-start.recovery.begin",
      formula: (run, step) => {
        const factor = step.after.ssthresh_bytes / step.before.cwnd_bytes;
        return `ssthresh = ${bytes(step.after.ssthresh_bytes)} = ${factor.toFixed(3)} × cwnd of ${bytes(step.before.cwnd_bytes)}`;
      },
    },
  ];

  /** The rule and the formula of a step, or null where nothing was decided. */
  function explain(run, step) {
    const rule = RULES.find((each) => each.of(run, step));
    return rule ? { clause: rule.clause, formula: rule.formula(run, step) } : null;
  }

  /** The quantities of an algorithm besides the window: [name, value of a step, unit]. */
  const OWN = {
    search: [["current window", "current_bytes"], ["previous window", "previous_bytes"]],
    hystart: [["least RTT of the round", "current_min_rtt_ns"], ["least RTT", "min_rtt_ns"]],
    hystartpp: [["currentRoundMinRTT", "current_min_rtt_ns"], ["lastRoundMinRTT", "last_min_rtt_ns"]],
    suss: [["least RTT of the round", "current_min_rtt_ns"], ["least RTT", "min_rtt_ns"]],
    "careful-resume": [["PipeSize", "pipesize_bytes"], ["saved window", "saved_cwnd_bytes"]],
    cubic: [["W_max", "w_max_bytes"], ["W_est", "w_est_bytes"]],
    jumpstart: [["packets sent", "sent_packets"], ["packets planned", "planned_packets"]],
    "quick-start": [["packets sent", "sent_packets"], ["packets planned", "planned_packets"]],
    "rapid-start": [["RTT floor", "rtt_floor_ns"], ["least RTT", "min_rtt_ns"]],
  };
  const ownOf = (algorithm) => OWN[algorithm] ?? [];

  Object.assign(window.Play, { explain, ownOf, rules: RULES.map((rule) => rule.clause), bytes, ms });
})();
