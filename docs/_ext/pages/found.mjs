// The ranks that the search of a built site gives: node found.mjs SITE QUERIES.json prints {query: rank of the right page, or null}.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [site, queries] = process.argv.slice(2);
const none = { addEventListener() {}, readyState: "loading", getElementById: () => null };
const context = vm.createContext({
  document: none, console, URLSearchParams,
  localStorage: { setItem() {} }, SPHINX_HIGHLIGHT_ENABLED: false, _: (text) => text, _ready() {},
});
context.window = context;
for (const name of ["language_data.js", "searchtools.js"]) vm.runInContext(readFileSync(join(site, "_static", name), "utf8"), context);
vm.runInContext("globalThis.Search = Search", context);
vm.runInContext(readFileSync(join(site, "searchindex.js"), "utf8"), context);
const ranks = {};
for (const [query, right] of Object.entries(JSON.parse(readFileSync(queries, "utf8")).queries)) {
  context.query = query;
  // The best result is the last; a page counts once, by its best.
  const found = vm.runInContext("Search._performSearch(...Search._parseQuery(query)).map((result) => result[0]).reverse()", context);
  const place = [...new Set(found)].findIndex((page) => right.includes(page));
  ranks[query] = place < 0 ? null : place + 1;
}
console.log(JSON.stringify(ranks));
