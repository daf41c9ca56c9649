// Filters for the large tables: stacks by algorithm and result, clauses by words and level. The address has the choice.
"use strict";

(() => {
  const values = new URLSearchParams(location.search);

  function remember(name, value) {
    if (value) values.set(name, value);
    else values.delete(name);
    history.replaceState(null, "", `${location.pathname}${values.size > 0 ? `?${values}` : ""}${location.hash}`);
  }

  function select(name, label, choices, changed) {
    const field = document.createElement("select");
    field.append(new Option("all", ""), ...choices.map((choice) => new Option(choice, choice)));
    field.value = choices.includes(values.get(name)) ? values.get(name) : "";
    return labelled(label, field, name, changed);
  }

  function labelled(label, field, name, changed) {
    const box = document.createElement("label");
    box.append(`${label} `, field);
    field.addEventListener(field.tagName === "SELECT" ? "change" : "input", () => { remember(name, field.value); changed(); });
    return { box, field };
  }

  const form = (fields) => {
    const found = Object.assign(document.createElement("form"), { className: "filters" });
    found.addEventListener("submit", (event) => event.preventDefault());
    found.append(...fields.map(({ box }) => box));
    return found;
  };

  // Stacks: the first code in a column's head is its algorithm. Rows without a filled cell in shown columns are hidden.
  function stacks(table) {
    const heads = [...table.querySelectorAll("thead th")];
    const algorithms = heads.map((head) => head.querySelector("code")?.textContent ?? "");
    const apply = () => {
      for (const row of table.rows) {
        let filled = row.parentElement.tagName === "THEAD";
        [...row.cells].forEach((cell, i) => {
          cell.hidden = i > 0 && byAlgorithm.field.value !== "" && algorithms[i] !== byAlgorithm.field.value;
          const text = cell.textContent.trim();
          if (i > 0 && !cell.hidden && text && (!having.field.value || cell.querySelector(KINDS[having.field.value]))) filled = true;
        });
        row.hidden = !filled;
      }
    };
    const KINDS = { "a defect": ".state-must, .state-should, .state-definition", "no defect": ".state-agrees, .state-other" };
    const byAlgorithm = select("algorithm", "Algorithm", [...new Set(algorithms.filter(Boolean))], apply);
    const having = select("with", "with", Object.keys(KINDS), apply);
    table.closest(".table-wrapper").before(form([byAlgorithm, having]));
    apply();
  }

  // Clauses: the row must contain every word, and its second cell the level.
  function clauses(tables) {
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
    const levels = [...new Set(rows.map((row) => row.cells[1].querySelector("strong")?.textContent).filter(Boolean))].sort();
    const count = Object.assign(document.createElement("output"), { className: "small-print" });
    const apply = () => {
      const words = wanted.field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const level = row.cells[1].querySelector("strong")?.textContent ?? "";
        row.hidden = !words.every((word) => text.includes(word)) || (byLevel.field.value !== "" && level !== byLevel.field.value);
      }
      for (const table of tables) table.closest("section").hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
      count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} clauses`;
    };
    const wanted = labelled("Clauses with", Object.assign(document.createElement("input"), { type: "search", value: values.get("words") ?? "" }), "words", apply);
    const byLevel = select("level", "Level", levels, apply);
    tables[0].closest("section").before(form([wanted, byLevel, { box: count }]));
    apply();
  }

  addEventListener("DOMContentLoaded", () => {
    const [matrix] = document.querySelectorAll("table.stacks");
    if (matrix?.querySelector("thead code")) stacks(matrix); // not the releases of a stack
    const traced = [...document.querySelectorAll("table.matrix")];
    if (traced.length > 0) clauses(traced);
  });
})();
