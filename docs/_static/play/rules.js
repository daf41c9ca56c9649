// The explanation of a step: the rule behind its outcome, and the formula of the rule with the numbers of this event.
"use strict";

(() => {
  const bytes = (value) => (value === null || value === undefined ? "none" : `${Number(value).toLocaleString("en")} B`);
  const ms = (value) => (value === null || value === undefined ? "none" : `${(Number(value) / 1e6).toFixed(3)} ms`);
  const isAck = (step) => step.event.ev === "ack";
  const onCubic = (run) => run.algorithm === "cubic" || run.profile.endsWith("+cubic");
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
  // An eighth of the RTT, from 4 to 16 ms: RttThresh of RFC 9406, and the threshold of HyStart and SUSS.
  const eighth = (rtt) => clamp(Math.floor(Number(rtt) / 8), 4e6, 16e6);

  /** The comparison of SEARCH in a profile: with the sent bytes or twice the delivered bytes, and the threshold. */
  function comparisonOf(run) {
    const [sent, threshold] = window.FIRSTFLIGHT_SEARCH[run.profile.split("+")[0]];
    return { sent, threshold, normDiff: (previous, current) => ((sent ? 1 : 2) * previous - current) / ((sent ? 1 : 2) * previous) };
  }

  // Each rule: the predicate for its steps, its clause, and the formula. The first matching rule is shown.
  const RULES = [
    {
      of: (run, step) => run.algorithm === "search" && isAck(step) && step.after.state?.previous_bytes > 0 && step.after.state?.bin !== step.before.state?.bin,
      clause: "search.threshold.reached",
      formula: (run, step) => {
        const { current_bytes: current, previous_bytes: previous } = step.after.state;
        const { sent, threshold, normDiff } = comparisonOf(run);
        const told = sent ? bytes(previous) : `2 × ${bytes(previous)}`;
        return `norm_diff = (${told} − ${bytes(current)}) / (${told}) = ${normDiff(previous, current).toFixed(4)}, threshold ${threshold}` +
          (step.after.outcome === "exited" ? ": slow start ends" : ": slow start goes on");
      },
    },
    {
      of: (run, step) => run.algorithm === "hystartpp" && isAck(step) && step.after.state?.rtt_samples >= 8 && step.after.state?.last_min_rtt_ns && !["exited", "slow_start_resumed"].includes(step.after.outcome),
      clause: "hystartpp.delay",
      formula: (run, step) => {
        const { current_min_rtt_ns: current, last_min_rtt_ns: last } = step.after.state;
        return `currentRoundMinRTT ${ms(current)} against lastRoundMinRTT ${ms(last)} + RttThresh ${ms(eighth(last))} = ${ms(Number(last) + eighth(last))}`;
      },
    },
    ...["hystart.delay", "suss.exit.delay"].map((clause) => ({
      of: (run, step) => run.algorithm === clause.split(".")[0] && step.after.outcome === "exited_by_delay",
      clause,
      formula: (run, step) => {
        const { current_min_rtt_ns: current, min_rtt_ns: least } = { ...step.before.state, ...step.after.state };
        return `minimum RTT of the round ${ms(current)} against minimum RTT ${ms(least)} + threshold ${ms(eighth(least))} = ${ms(Number(least) + eighth(least))}`;
      },
    })),
    {
      of: (run, step) => run.algorithm === "careful-resume" && step.after.outcome === "jumped",
      clause: "careful-resume.jump.enter",
      formula: (run, step) => `cwnd = ${bytes(step.after.state.jump_bytes)}, of a saved window of ${bytes(step.before.state.saved_cwnd_bytes ?? step.after.state.saved_cwnd_bytes)}`,
    },
    {
      of: (run, step) => run.algorithm === "careful-resume" && step.after.phase !== step.before.phase && step.after.state?.pipesize_bytes !== undefined,
      formula: (run, step) => `phase ${step.before.phase} → ${step.after.phase}; PipeSize ${bytes(step.after.state.pipesize_bytes)}, jump ${bytes(step.after.state.jump_bytes)}, cwnd ${bytes(step.before.cwnd_bytes)} → ${bytes(step.after.cwnd_bytes)}`,
    },
    {
      of: (run, step) => run.algorithm === "jumpstart" && /jump/.test(step.after.outcome) && step.after.state?.planned_packets !== null,
      formula: (run, step) => `${step.after.state.planned_packets} packets planned for one RTT, ${step.after.state.sent_packets} sent`,
    },
    {
      of: (run, step) => run.algorithm === "rapid-start" && isAck(step) && ["rapid_grown", "grown"].includes(step.after.outcome) && step.after.state?.rtt_floor_ns,
      formula: (run, step) => `RTT floor ${ms(step.after.state.rtt_floor_ns)} against min_rtt ${ms(step.after.state.min_rtt_ns)}: cwnd + ${bytes(step.after.cwnd_bytes - step.before.cwnd_bytes)} for ${bytes(step.event.bytes)} acknowledged`,
    },
    {
      of: (run, step) => onCubic(run) && step.after.outcome === "grown_avoidance" && step.after.state?.w_est_bytes > 0,
      clause: "cubic.grow.share",
      formula: (run, step) => `cwnd ${bytes(step.before.cwnd_bytes)} → ${bytes(step.after.cwnd_bytes)}; W_max ${bytes(step.after.state.w_max_bytes)}, W_est ${bytes(step.after.state.w_est_bytes)}, K ${ms(step.after.state.k_ns)}`,
    },
    {
      of: (run, step) => isAck(step) && ["grown", "limited_grown", "conservative_grown"].includes(step.after.outcome),
      formula: (run, step) => `cwnd = ${bytes(step.before.cwnd_bytes)} + ${bytes(step.after.cwnd_bytes - step.before.cwnd_bytes)} for ${bytes(step.event.bytes)} acknowledged`,
    },
    {
      of: (run, step) => step.after.outcome === "reduced" && step.after.ssthresh_bytes > 0,
      formula: (run, step) => {
        const factor = step.after.ssthresh_bytes / step.before.cwnd_bytes;
        return `ssthresh = ${bytes(step.after.ssthresh_bytes)} = ${factor.toFixed(3)} × cwnd of ${bytes(step.before.cwnd_bytes)}`;
      },
    },
  ];

  // The page of an algorithm has the outcomes of its rules; the page of the base controller has the others.
  function clauseOf(run, outcome) {
    const pages = [run.algorithm, ...(onCubic(run) ? ["cubic"] : []), "slow-start"];
    return pages.map((page) => window.FIRSTFLIGHT_OUTCOMES[page]?.[outcome]).find(Boolean) ?? null;
  }

  const changes = (step) => {
    const changed = [["cwnd", "cwnd_bytes"], ["ssthresh", "ssthresh_bytes"]].filter(([, name]) => step.before[name] !== step.after[name])
      .map(([label, name]) => `${label} ${step.before[name] === null ? "infinite" : bytes(step.before[name])} → ${step.after[name] === null ? "infinite" : bytes(step.after[name])}`);
    return changed.join(", ") || "windows as before";
  };

  /** The rule and the formula of a step, or null without a matching rule. */
  function explain(run, step) {
    const rule = RULES.find((each) => each.of(run, step));
    const clause = rule?.clause ?? clauseOf(run, step.after.outcome);
    return clause ? { clause, formula: rule ? rule.formula(run, step) : changes(step), ...window.FIRSTFLIGHT_CLAUSES[clause] } : null;
  }

  Object.assign(window.Play, { explain, comparisonOf, eighth, bytes, ms });
})();
