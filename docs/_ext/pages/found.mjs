// Ranks of pages in the search of a built site: node found.mjs SITE QUERIES.json prints {query: rank of the right page, or null};
// node found.mjs SITE --titles QUERY prints the titles of the results.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [site, queries] = process.argv.slice(2);
const none = { addEventListener() {}, readyState: "loading", getElementById: () => null };
const context = vm.createContext({
  document: none, console, URLSearchParams,
  localStorage: { setItem() {} }, SPHINX_HIGHLIGHT_ENABLED: false, _: (text) => text, _ready() {},
});
context.window = context;
const run = (name) => vm.runInContext(readFileSync(join(site, "_static", name), "utf8"), context);
for (const name of ["language_data.js", "searchtools.js"]) run(name);
vm.runInContext("globalThis.Search = Search", context);
vm.runInContext(readFileSync(join(site, "searchindex.js"), "utf8"), context);
for (const name of ["search/asked.js", "search/ask.js"]) if (existsSync(join(site, "_static", name))) run(name);
const search = (query) => {
  context.query = query;
  // The best result is the last.
  return vm.runInContext("Search._performSearch(...Search._parseQuery(query)).reverse()", context);
};
if (queries === "--titles") {
  console.log(JSON.stringify(search(process.argv[4]).map(([, title]) => title)));
} else {
  const { queries: words, readers = {} } = JSON.parse(readFileSync(queries, "utf8"));
  const ranks = {};
  for (const [query, right] of Object.entries({ ...words, ...readers })) {
    // A page counts once, by its best result.
    const place = [...new Set(search(query).map(([page]) => page))].findIndex((page) => right.includes(page));
    ranks[query] = place < 0 ? null : place + 1;
  }
  console.log(JSON.stringify(ranks));
}
