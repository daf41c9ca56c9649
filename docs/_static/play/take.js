// Exports of the play page: a run as a vector, and files.
"use strict";

(() => {
  const OBSERVED = ["cwnd_bytes", "ssthresh_bytes", "phase", "outcome", "next_release_ns", "trigger"];
  const UNITS = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];
  const HUGE_PACKETS = 100000;

  const packetsOf = (event) => (event.packets ?? []).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const TIMES = ["t_ns", "latest_rtt_ns", "ack_delay_ns", "saved_rtt_ns", "expires_t_ns"];
  const timesOf = (event) => TIMES.map((name) => Number(event[name] ?? 0));

  // An app_limited that does not follow from window and flight (spec/events.md, "Derived facts").
  function appLimitedGiven(steps, datagram) {
    const full = (flight, cwnd) => flight + datagram > cwnd;
    const idle = (flight, cwnd) => 2 * flight < cwnd && flight + 3 * datagram < cwnd;
    let [fullTo, busyTo] = [-1, -1];
    for (const { event, before, after } of steps) {
      if (event.ev === "sent") {
        if (full(event.bytes_in_flight, after.cwnd_bytes)) fullTo = event.packets.at(-1)[1];
        if (!idle(event.bytes_in_flight, after.cwnd_bytes)) busyTo = event.packets.at(-1)[1];
      } else if (event.ev === "ack") {
        const [flight, oldest] = [event.bytes_in_flight + event.bytes, event.packets[0][0]];
        const follows = event.app_limited ? idle(flight, before.cwnd_bytes) && busyTo < oldest : full(flight, before.cwnd_bytes) && fullTo >= oldest;
        if (!follows) return true;
      }
    }
    return false;
  }

  function flagsOf(steps, config, paced) {
    const events = steps.map((step) => step.event);
    const are = (ev) => events.some((event) => event.ev === ev);
    const acks = events.filter((event) => event.ev === "ack");
    const found = {
      "app-limited": events.some((event) => event.app_limited), "app-limited-given": appLimitedGiven(steps, config.max_datagram_size_bytes),
      backlog: are("backlog"), ce: are("ce"), "huge-ack": acks.some((ack) => packetsOf(ack) > HUGE_PACKETS), idle: are("idle_restart"), loss: are("lost"),
      "no-rtt-sample": acks.some((ack) => ack.latest_rtt_ns === null), paced, "persistent-congestion": are("persistent_congestion"),
      retransmissions: events.some((event) => event.retransmits?.length > 0), "stretch-ack": acks.some((ack) => packetsOf(ack) > 2),
    };
    found.lossless = !(found.loss || found.ce || found["persistent-congestion"]);
    return Object.keys(found).filter((flag) => found[flag]).sort();
  }

  // Entries list only changed members; the first entry lists all.
  function changesOf(steps) {
    const found = [];
    let [now, state] = [{}, {}];
    steps.forEach(({ after }, at) => {
      const entry = { at };
      for (const name of OBSERVED) if (after[name] !== undefined && (at === 0 || after[name] !== now[name])) entry[name] = after[name];
      const changed = Object.fromEntries(Object.entries(after.state ?? {}).filter(([name, value]) => at === 0 || value !== state[name]));
      if (at === 0 || Object.keys(changed).length > 0) entry.state = changed;
      if (Object.keys(entry).length > 1) found.push(entry);
      now = after;
      state = after.state ?? {};
    });
    return found;
  }

  /** A run over a path as a vector (spec/vector-format.md). It expects the answers of the port. */
  function vectorOf(run) {
    const { max_datagram_size_bytes, initial_window_bytes, paced } = run.scenario.sender;
    const config = { max_datagram_size_bytes, initial_window_bytes };
    const events = run.steps.map((step) => step.event);
    const granularity = UNITS.find(([, ns]) => events.every((event) => timesOf(event).every((value) => value % ns === 0)))[0];
    return {
      format: 1, id: `${run.algorithm}.play.saved`, title: `Saved from Watch it start: ${run.scenario.title}`,
      why: "A path that was chosen on the page; what is expected is what the C port answered there.",
      algorithm: run.algorithm, tier: "core", flags: flagsOf(run.steps, config, paced), granularity,
      source: { kind: "simulator", scenario: "scenario.json", loop: run.profile, sources: ["play.html"] }, config, events,
      profiles: { [run.profile]: { judged_events: events.length, clauses: [], expect: changesOf(run.steps) } },
    };
  }

  function save(name, text, type) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  Object.assign(window.Play, { vectorOf, save });
})();
