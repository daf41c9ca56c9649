// judge.html: reads a file, judges it in a worker that is created from this page, and shows the answer.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const text = (id) => $(id).textContent;
  const LARGEST = 50e6;
  let worker = null;
  let begun = false;
  let queue = Promise.resolve(); // one question at a time

  async function unpacked(id) {
    const packed = Uint8Array.from(atob(text(id).trim()), (byte) => byte.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  const ask = (message) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ("fault" in data ? reject(new Error(data.fault)) : resolve(data.answer));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(message);
  });

  async function begin() {
    if (begun) return;
    say("Python is being unpacked …");
    const [program, wasm, library, packages] = await Promise.all(["program", "wasm", "library", "packages"].map(unpacked));
    worker = new Worker(URL.createObjectURL(new Blob([program, "\n", text("worker")], { type: "text/javascript" })));
    const parts = { "pyodide.asm.wasm": wasm, "python_stdlib.zip": library, "pyodide-lock.json": text("lock") };
    await ask({ begin: { parts, packages, drive: text("drive") } });
    begun = true;
  }

  const say = (message) => { $("status").textContent = message; };

  // The name becomes a file name in the worker, so special characters are replaced.
  const plain = (name) => name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^\.+/, "") || "log";

  async function judge(name, bytes, peer = null) {
    $("answer").hidden = $("fault").hidden = true;
    document.body.dataset.state = "busy";
    try {
      if (bytes.length > LARGEST) throw new Error(`${name} has more than ${LARGEST / 1e6} MB; the command takes it`);
      await begin();
      say(`${name} is being judged …`);
      const started = performance.now();
      const found = JSON.parse(await ask({ judge: { name: plain(name), bytes, peer: peer && { name: `peer-${plain(peer.name)}`, bytes: peer.bytes } } }));
      if (found.error) throw new Error(found.error);
      show(name, found);
      say(`Judged in ${((performance.now() - started) / 1000).toFixed(1)} s, in this browser.`);
    } catch (error) {
      say("");
      $("fault").textContent = error.message;
      $("fault").hidden = false;
    }
    document.body.dataset.state = "done";
  }

  const later = (work) => { queue = queue.then(work); return queue; };
  const bytesOf = async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });

  function take(files) {
    if (files.length === 0) return;
    later(async () => {
      const { name, bytes } = await bytesOf(files[0]);
      const peer = $("peer").files[0];
      await judge(name, bytes, peer ? await bytesOf(peer) : null);
    });
  }

  // --- the answer, in the order of the command ---
  // Names of profiles and rules lead to their pages.
  const pages = () => JSON.parse(text("pages"));
  const NAME = /([a-z0-9-]+\/[a-z0-9.+-]*[a-z0-9]|[a-z0-9-]+(?:\.[a-z0-9-]+)+)/;

  function linked(words) {
    const { profiles, clauses } = pages();
    return words.split(NAME).map((part, index) => {
      const href = index % 2 ? (profiles[part.replace(/\+[a-z]+$/, "")] ?? clauses[part]) : undefined;
      return href ? Object.assign(document.createElement("a"), { href, textContent: part }) : part;
    });
  }

  function line(words) {
    const item = document.createElement("li");
    item.append(...linked(words.trim()));
    return item;
  }

  function show(name, { judged, report, curve }) {
    const document_ = JSON.parse(judged);
    const at = report.findIndex((each) => each.startsWith("refuted:"));
    const result = report.findIndex((each) => /^(not decided|none of ours|may be|not refuted):/.test(each));
    const refuted = at < 0 ? result : at;
    $("name").textContent = name;
    $("verdict").replaceChildren(...linked(report[result]));
    $("verdict").className = document_.undecided ? "open" : document_.none_of_ours ? "none" : "found";
    $("did").replaceChildren(...report.slice(0, refuted).map(line));
    $("refuted").replaceChildren(...report.slice(refuted, result).map(line));
    $("may").replaceChildren(...report.slice(result).map(line));
    $("json").textContent = judged;
    $("answer").hidden = false;
    draw(curve);
    watch(document_.path, curve);
  }

  // A packet on a path of "Watch it start", in Mbit/s * ms, and the bounds of the paths there: queue in BDP, BDP in Mbit/s * ms.
  const PACKET = 9.6, LONGEST_QUEUE = 20, LARGEST_BDP = 1e5;

  /** Link to a path with the rate and RTT of the connection, and a queue as long as its largest RTT implies. */
  function watch(path, { profile, rtt }) {
    const rounded = (value) => Number(value.toPrecision(3));
    const [rate, least] = path ? [rounded(path.rate_bps / 1e6), rounded(path.least_rtt_ms)] : [0, 0];
    $("watch").hidden = !profile || !path || rate * least > LARGEST_BDP;
    if ($("watch").hidden) return;
    const filled = Math.max(...rtt.map(([, ms]) => ms)) - path.least_rtt_ms;
    const queue = Math.min(Math.ceil(Math.max(filled, PACKET / rate)), LONGEST_QUEUE * least);
    const values = { a: profile, rate, rtt: least, queue, unit: "ms" };
    $("watch").firstElementChild.href = `play.html#${new URLSearchParams(values)}`;
  }

  function draw({ profile, at_least: flightOnly, left, connection, flight, rtt, model }) {
    const what = flightOnly ? "most in flight so far, of the connection" : "cwnd of the connection";
    const end = connection.at(-1)[0];
    const series = [{ label: what, className: "connection", points: connection }];
    if (flight.length) series.push({ label: "in flight of the connection", className: "flight", points: flight });
    if (profile) series.unshift({ label: `cwnd of ${profile}, on its own`, className: "model", points: model });
    // The curve of a profile long after its divergence must not determine the scale of the plot.
    const most = 2 * Math.max(...connection.map(([, value]) => value));
    for (const one of series) one.points = one.points.map(([t, value]) => [t, value > most ? null : value]);
    const marks = left === null ? [] : [{ t: left, className: "left" }];
    window.Play.draw($("curve"), { series, marks, unit: { name: "kB", scale: 1000 }, height: 300, end });
    $("rtts").hidden = rtt.length === 0;
    const samples = [{ label: "RTT samples of the connection", className: "connection", points: rtt }];
    if (rtt.length) window.Play.draw($("rtt"), { series: samples, marks, unit: { name: "ms", scale: 1 }, height: 160, end });
    $("legend").replaceChildren(...series.map(({ label, className }) => {
      const item = document.createElement("li");
      item.innerHTML = `<svg viewBox="0 0 24 8" aria-hidden="true"><path d="M0,4H24" class="line ${className}"/></svg>`;
      item.append(label);
      return item;
    }));
  }

  // --- check of the promise in the first line ---
  async function tryToSend() {
    const address = `${location.protocol === "file:" ? "https://example.invalid" : location.origin}/sent-by-judge`;
    $("tried").textContent = "…";
    await later(async () => {
      try {
        await begin();
        const page = await fetch(address).then(() => "sent", () => "refused");
        const inWorker = await ask({ request: address });
        $("tried").textContent = `A request from the page: ${page}. A request from the worker: ${inWorker}.`;
      } catch (error) {
        $("tried").textContent = `The worker did not begin: ${error.message}`;
      }
      say("");
    });
  }

  /** Judge the sample in the address, so that an answer can be linked. */
  function fromAddress() {
    const name = new URLSearchParams(location.hash.slice(1)).get("sample");
    if (name) [...document.querySelectorAll("button[data-sample]")].find((button) => button.dataset.file === name)?.click();
  }

  function wire() {
    $("file").addEventListener("change", () => take($("file").files));
    $("try").addEventListener("click", tryToSend);
    for (const button of document.querySelectorAll("button[data-sample]")) {
      button.addEventListener("click", () => {
        history.replaceState(null, "", `#sample=${button.dataset.file}`);
        later(async () => judge(button.dataset.file, await unpacked(button.dataset.sample)));
      });
    }
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
    document.body.dataset.state = "ready";
    addEventListener("hashchange", fromAddress);
    fromAddress();
  }

  if ($("program").textContent) {
    $("missing").hidden = true;
    $("stage").hidden = false;
    wire();
  }
})();
