// The page "Find vectors": a selection of vectors, its address, and the command that runs it.
"use strict";

(() => {
  const FIELDS = ["algorithm", "profile", "from", "clause", "level", "flag", "tier", "words"];
  const SHOWN = 200;
  const MOST_IDS = 12;

  const algorithmOf = (vector) => vector.id.slice(0, vector.id.indexOf("."));

  /** Parse the cases of an index: the profiles of each vector, with the numbers of their clauses and answer. */
  function unfold(index) {
    for (const vector of index.vectors) {
      const cases = vector.cases.split(" ").map((text) => text.split(",").map(Number));
      vector.profiles = Object.fromEntries(cases.map(([name, set, answer]) => [index.profiles[name], [set, answer]]));
    }
    return index;
  }

  /** Whether a vector distinguishes two profiles by their windows. */
  function tells(vector, one, other) {
    const [a, b] = [vector.profiles[one], vector.profiles[other]];
    if (!a || !b || a[1] === b[1]) return false;
    return !(vector.same ?? []).some((pair) => pair.includes(a[1]) && pair.includes(b[1]));
  }

  // A set is encoded as the differences between its numbers.
  function numbersOf(set) {
    let sum = 0;
    return set ? set.split(" ").map((step) => (sum += Number(step))) : [];
  }

  const fileOf = ({ id }) => `vectors/${id.replace(".", "/")}.json.gz`;

  /** The numbers of the clauses that a vector has in a profile, or in any. */
  function clausesOf(index, vector, profile) {
    const cases = profile ? [vector.profiles[profile]] : Object.values(vector.profiles);
    return new Set(cases.flatMap(([set]) => numbersOf(index.sets[set])));
  }

  /** Select vectors of an index by {algorithm, profile, from, clause, level, flag, tier, words}; each may be empty. */
  function select(index, wanted) {
    const words = (wanted.words ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const clause = wanted.clause ? index.clauses.findIndex(([name]) => name === wanted.clause) : null;
    return index.vectors.filter((vector) => {
      if (wanted.algorithm && algorithmOf(vector) !== wanted.algorithm) return false;
      if (wanted.profile && !(wanted.profile in vector.profiles)) return false;
      if (wanted.from && !tells(vector, wanted.profile, wanted.from)) return false;
      if (wanted.flag && !vector.flags.includes(wanted.flag)) return false;
      if (wanted.tier && vector.tier !== wanted.tier) return false;
      if (clause !== null || wanted.level) {
        const found = clausesOf(index, vector, wanted.profile);
        if (clause !== null && !found.has(clause)) return false;
        if (wanted.level && ![...found].some((number) => index.clauses[number][1] === wanted.level)) return false;
      }
      const text = `${vector.id} ${vector.title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  /** The command that runs a selection: by its options, by its ids or, if there are many ids, by the saved list. */
  function command(wanted, found) {
    const options = ["algorithm", "profile", "tier", "flag"].filter((name) => wanted[name]).map((name) => `--${name} ${wanted[name]}`);
    const byId = ["from", "clause", "level", "words"].some((name) => wanted[name]);
    if (byId && found.length > MOST_IDS) options.push("$(jq -r '.vectors[] | \"--id=\" + .id' vectors.json)");
    else if (byId) options.push(...found.map((vector) => `--id ${vector.id}`));
    return `firstflight run --adapter "COMMAND" ${options.join(" ")}`.trimEnd();
  }

  /** The differing readings of two profiles: [name, question, choice of one, choice of the other]; base first. */
  function differences(index, algorithm, one, other) {
    const { questions, profiles } = index.readings[algorithm];
    const [[first, base = "newreno"], [second, otherBase = "newreno"]] = [one.split("+"), other.split("+")];
    const told = (name, value) => questions[name][1][value] ?? String(value);
    const found = base === otherBase ? [] : [["base", "On which base controller does it run?", base, otherBase]];
    for (const [name, value] of Object.entries(profiles[first])) {
      if (value !== profiles[second][name]) found.push([name, questions[name][0], told(name, value), told(name, profiles[second][name])]);
    }
    return found;
  }

  window.Find = { FIELDS, fileOf, unfold, select, command, tells, differences };
  if (typeof document === "undefined") return;

  const $ = (id) => document.getElementById(`find-${id}`);
  const index = unfold(window.FIRSTFLIGHT_VECTORS);
  let found = [];

  const wanted = () => Object.fromEntries(FIELDS.map((name) => [name, $(name).value.trim()]));
  const options = (id, first, values) => {
    const before = $(id).value;
    $(id).replaceChildren(new Option(first, ""), ...values.map((value) => new Option(value, value)));
    if (values.includes(before)) $(id).value = before;
  };

  function profiles() {
    const of = index.vectors.filter((vector) => !$("algorithm").value || algorithmOf(vector) === $("algorithm").value);
    const names = $("algorithm").value ? [...new Set(of.flatMap((vector) => Object.keys(vector.profiles)))].sort() : [];
    options("profile", names.length ? "any" : "choose an algorithm", names);
    options("from", $("profile").value ? "nothing" : "choose a profile", $("profile").value ? names.filter((name) => name !== $("profile").value) : []);
  }

  function cell(content) {
    const made = document.createElement("td");
    made.append(content);
    return made;
  }

  const link = (text, href) => Object.assign(document.createElement("a"), { textContent: text, href });

  function row(vector) {
    const [group, topic] = vector.id.split(".");
    const profile = wanted().profile || Object.keys(vector.profiles)[0];
    const compare = wanted().from ? `&b=${algorithmOf(vector)}/${wanted().from}` : "";
    const takes = document.createDocumentFragment();
    takes.append(link("play", `play.html#vector=${vector.id}&a=${algorithmOf(vector)}/${profile}${compare}`), " ", link("JSON", fileOf(vector)));
    const made = document.createElement("tr");
    made.append(cell(link(vector.id, `_generated/vectors/${group}-${topic}.html#vector-${vector.id.replaceAll(".", "-")}`)), cell(vector.title), cell(vector.tier), cell(String(vector.events)), cell(takes));
    return made;
  }

  function showDifferences() {
    const { algorithm, profile, from } = wanted();
    $("difference").hidden = !from;
    if (!from) return;
    [$("one").textContent, $("other").textContent] = [profile, from];
    $("readings").replaceChildren(...differences(index, algorithm, profile, from).map(([name, ...texts]) => {
      const made = document.createElement("tr");
      made.append(cell(name === "base" ? name : link(name, `_generated/readings/${algorithm}.html#reading-${algorithm}-${name.replaceAll("_", "-")}`)), ...texts.map(cell));
      return made;
    }));
  }

  function show() {
    profiles();
    showDifferences();
    found = select(index, wanted());
    const more = found.length > SHOWN ? `, the first ${SHOWN} are shown` : "";
    $("count").textContent = `${found.length} of ${index.vectors.length} vectors${more}.`;
    $("rows").replaceChildren(...found.slice(0, SHOWN).map(row));
    $("command").textContent = command(wanted(), found);
    const values = Object.entries(wanted()).filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(values)}`);
  }

  function save() {
    const list = found.map(({ id, title, tier, flags, events, profiles: of }) => ({ id, title, tier, flags, events, profiles: Object.keys(of), json: new URL(fileOf({ id }), location.href).href }));
    const text = JSON.stringify({ selection: Object.fromEntries(Object.entries(wanted()).filter(([, value]) => value)), vectors: list }, null, 2);
    const taken = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "vectors.json" });
    taken.click();
    URL.revokeObjectURL(taken.href);
  }

  function fromAddress() {
    const values = new URLSearchParams(location.hash.slice(1));
    for (const name of FIELDS) {
      if (name === "profile" || name === "from") profiles();
      $(name).value = values.get(name) ?? "";
    }
    show();
  }

  const unique = (values) => [...new Set(values)].sort();
  options("algorithm", "any", unique(index.vectors.map(algorithmOf)));
  options("level", "any", unique(index.clauses.map(([, level]) => level)).filter((level) => level !== "-"));
  options("flag", "any", unique(index.vectors.flatMap((vector) => vector.flags)));
  options("tier", "any", unique(index.vectors.map((vector) => vector.tier)));
  $("clauses").append(...index.clauses.map(([name]) => new Option(name)));
  for (const id of ["form", "table", "takes", "command"]) $(id).hidden = false;
  $("form").addEventListener("input", show);
  $("form").addEventListener("submit", (event) => event.preventDefault());
  $("copy").addEventListener("click", () => navigator.clipboard?.writeText($("command").textContent));
  $("link").addEventListener("click", () => navigator.clipboard?.writeText(location.href));
  $("save").addEventListener("click", save);
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
