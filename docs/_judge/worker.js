// The worker of judge.html. The page creates it after the interpreter; its first message contains all data.
"use strict";

(() => {
  const ask = self.fetch;
  let python = null;

  // The interpreter requests its parts by name; only these parts are available.
  async function begin({ parts, packages, drive }) {
    self.fetch = async (address) => {
      const name = String(address).split("/").at(-1);
      if (!(name in parts)) throw new TypeError(`${name} is no part of this page`);
      return new Response(parts[name], { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
    };
    python = await loadPyodide({ indexURL: "https://this-page.invalid/", env: { HOME: "/home" } });
    self.fetch = ask;
    python.FS.mkdirTree("/logs");
    python.FS.mkdirTree("/packages/src"); // as deep as in a checkout
    python.FS.writeFile("/packages/src/packages.zip", packages);
    python.runPython("import sys; sys.path.insert(0, '/packages/src/packages.zip')");
    python.runPython(drive);
  }

  function judge({ name, bytes, peer }) {
    python.FS.writeFile(`/logs/${name}`, bytes);
    if (peer) python.FS.writeFile(`/logs/${peer.name}`, peer.bytes);
    try {
      return python.globals.get("judged")(name, peer ? peer.name : "");
    } finally {
      for (const each of [name, peer?.name]) if (each) python.FS.unlink(`/logs/${each}`);
    }
  }

  async function answer(message) {
    if (message.begin) return begin(message.begin);
    if (message.judge) return judge(message.judge);
    return ask(message.request).then(() => "sent", () => "refused");
  }

  self.onmessage = async ({ data }) => {
    try {
      self.postMessage({ answer: await answer(data) });
    } catch (error) {
      self.postMessage({ fault: String(error.message ?? error) });
    }
  };
})();
