// Search by questions: pages whose questions or titles share words with the query come first; single words replace all words if few pages have all.
"use strict";

(() => {
  const ASKED = window.FIRSTFLIGHT_ASKED ?? { pages: {}, about: {} };
  const STOP = new Set("a an and any are as at be been by can could did do does for from get give had has have how i if in into is it its me my no not of on or our page should so some than that the their there these this to use using want was we what when where which who why will with work works would you your".split(" "));
  // Least share of a query, the share that is enough where few pages have all words, the number that counts as few, and the most results of a list.
  const LEAST = 0.5, LEAST_OF_FEW = 0.25, FEW = 3, MOST = 20;
  /** A word that no question has counts as if this number of pages had it. */
  const UNASKED = 4;
  const stemmer = new Stemmer();
  const stems = (text) => [...new Set(splitQuery(text.toLowerCase()).filter((word) => !STOP.has(word)).map((word) => stemmer.stemWord(word)))];
  const phrases = Object.entries(ASKED.pages).map(([page, listed]) => [page, listed.map((text) => new Set(stems(text)))]);
  const pagesWith = new Map();
  for (const [, listed] of phrases)
    for (const word of new Set(listed.flatMap((phrase) => [...phrase]))) pagesWith.set(word, (pagesWith.get(word) ?? 0) + 1);
  const weight = (word) => Math.log(1 + phrases.length / (pagesWith.get(word) ?? UNASKED));
  const sum = (words) => words.reduce((total, word) => total + weight(word), 0);
  const isKnown = (word) => pagesWith.has(word) || word in Search._index.terms || word in Search._index.titleterms;

  /** By page the share of the query that its best question has, and of that question that the query has. */
  function asked(words, least = LEAST, one = words.length > 1) {
    const whole = sum(words), found = [];
    if (!whole) return found;
    for (const [page, listed] of phrases) {
      let best = 0;
      for (const phrase of listed) {
        const common = words.filter((word) => phrase.has(word));
        const covered = sum(common) / whole, precise = sum(common) / sum([...phrase]);
        if (covered >= least && (one || precise === 1)) best = Math.max(best, covered * (0.6 + 0.4 * precise));
      }
      if (best) found.push([page, best]);
    }
    return found.sort((a, b) => b[1] - a[1]).slice(0, MOST);
  }

  /** By page the weighted words of the query that it has, in its text and in its questions. */
  function some(words, excluded) {
    const whole = sum(words);
    const total = new Map(asked(words, LEAST_OF_FEW, true).map(([page, share]) => [page, share * whole]));
    for (const word of words)
      for (const [page, , , , score] of Search.performTermsSearch(new Set([word]), excluded))
        total.set(page, (total.get(page) ?? 0) + weight(word) * Math.min(1, score / Scorer.title));
    return [...total].sort((a, b) => b[1] - a[1]).slice(0, MOST);
  }

  function item(page, score) {
    const at = Search._index.docnames.indexOf(page);
    return [page, at < 0 ? ASKED.titles[page] : Search._index.titles[at], "", null, score, at < 0 ? page : Search._index.filenames[at], SearchResultKind.title];
  }

  const all = Search._performSearch;
  /** Results with the best last; each page once, and titles that two pages share with the folder of the page. */
  Search._performSearch = (query, terms, excluded, highlighted, objects) => {
    const every = all(query, terms, excluded, highlighted, objects).reverse();
    const words = stems(query).filter(isKnown);
    const first = asked(words);
    const found = [...first.map(([page, score]) => item(page, 1000 + score)), ...every];
    if (new Set(found.map(([page]) => page)).size < FEW) found.push(...some(words, excluded).map(([page, score]) => item(page, score)));
    const once = new Map();
    for (const result of found) if (!once.has(result[0])) once.set(result[0], result);
    const titles = new Map();
    for (const [, title] of once.values()) titles.set(title, (titles.get(title) ?? 0) + 1);
    for (const result of once.values()) if (titles.get(result[1]) > 1) result[1] = `${result[1]} (${result[0].replace("_generated/", "")})`;
    return [...once.values()].reverse();
  };

  // An excerpt below each result: the description of its page.
  if (typeof MutationObserver === "undefined") return;
  const show = (entry) => {
    const link = entry.querySelector("a");
    const page = link?.getAttribute("href").replace(/^(\.\/)+/, "").replace(/\.html(#.*)?$/, "");
    const about = ASKED.about[page];
    if (!about || entry.querySelector(".context")) return;
    entry.append(Object.assign(document.createElement("p"), { className: "context", textContent: about }));
  };
  const watch = () => {
    const place = document.getElementById("search-results");
    if (place) new MutationObserver(() => place.querySelectorAll("ul.search > li").forEach(show)).observe(place, { childList: true, subtree: true });
  };
  watch();
})();
