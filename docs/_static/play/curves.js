// The plots of the play page with legend: the windows of each run, and below them each controller's deciding quantity.
"use strict";

(() => {
  const { bdpOf, plotsOf, phasesOf, draw } = window.Play;
  const $ = (id) => document.getElementById(`play-${id}`);

  const line = (of, pick, label, className) => ({ label, className, points: of.steps.map((step) => [step.t, pick(step)]) });

  /**
   * Draw the windows of runs, and below them their deciding quantities; return the scales, for the cursor.
   * `path`: the path of the run, or null for events of a vector. `seen`: the answer of a stack to one of these events.
   */
  function drawRuns(runs, { path, seen }) {
    const bdp = path ? bdpOf(path) : Math.max(...runs.flatMap((each) => each.steps.map((step) => step.flight ?? 0)));
    const end = Math.max(...runs.map((each) => each.steps.at(-1).t));
    const ssthresh = (step) => (step.after.ssthresh_bytes > 0 && step.after.ssthresh_bytes < 20 * bdp ? step.after.ssthresh_bytes : null);
    const series = runs.flatMap((each, i) => [
      line(each, (step) => step.flight, `in flight of ${each.name}`, `flight run${i}`),
      line(each, ssthresh, `ssthresh of ${each.name}`, `ssthresh run${i}`),
      line(each, (step) => step.after.cwnd_bytes, `cwnd of ${each.name}`, `cwnd run${i}`),
    ]);
    const levels = path ? [{ label: "1 BDP", value: bdp }, { label: "BDP + queue", value: bdp + window.Play.queueOf(path) }] : [];
    const marks = runs.flatMap((each) => each.steps.filter((step) => step.event.ev === "lost").map((step) => ({ t: step.t, className: "lost" })));
    if (seen && runs[0].steps[seen.at]) series.push({ label: `cwnd of ${seen.of}`, className: "cwnd run1", points: [[runs[0].steps[seen.at].t, Number(seen.cwnd)], [end, Number(seen.cwnd)]] });
    const scales = [draw($("windows"), { series, levels, marks, bands: phasesOf(runs[0], end), unit: { name: "kB", scale: 1000 }, height: 300, end })];
    $("own").replaceChildren();
    scales.push(...runs.flatMap((each, i) => drawOwn(each, i, end)));
    legend(runs);
    return scales;
  }

  // Each quantity has its own plot, with unit and legend.
  function drawOwn(each, i, end) {
    return plotsOf(each).map(({ unit, lines, levels = [], height = 170 }) => {
      const [box, names] = [document.createElement("div"), Object.assign(document.createElement("ul"), { className: "legend" })];
      $("own").append(names, box);
      names.replaceChildren(...lines.map(([label], n) => item(`${label} (${each.name})`, `own${n}`, i)));
      const series = lines.map(([label, value], n) => line(each, lasting(value), `${label} of ${each.name}`, `own${n} run${i}`));
      return draw(box, { series, levels, unit, height, end });
    });
  }

  // Some numbers are only present at the events that compute them. They are valid until the next one in the same phase.
  function lasting(value) {
    let [last, phase] = [null, null];
    return (step) => {
      if (step.before.phase !== step.after.phase && phase !== null) last = null;
      phase = step.after.phase;
      return (last = value(step) ?? last);
    };
  }

  function item(text, className, i) {
    const found = document.createElement("li");
    found.innerHTML = `<svg viewBox="0 0 24 8" aria-hidden="true"><path d="M0,4H24" class="line ${className} run${i}"/></svg>`;
    found.append(text);
    return found;
  }

  const WINDOWS = [["cwnd", "cwnd"], ["in flight", "flight"], ["ssthresh", "ssthresh"]];
  const legend = (runs) => $("legend").replaceChildren(...runs.flatMap((each, i) => WINDOWS.map(([label, className]) => item(`${label} (${each.name})`, className, i))));

  Object.assign(window.Play, { drawRuns });
})();
