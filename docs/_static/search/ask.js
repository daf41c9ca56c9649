// Search by questions. One word: pages with a question that contains it come first. More words: pages by their words.
"use strict";

(() => {
  const ASKED = window.FIRSTFLIGHT_ASKED ?? { pages: {}, about: {} };
  const STOP = new Set("a an and any are as at be been by can could did do does for from get give had has have how i if in into is it its me my no not of on or our page should so some than that the their there these this to use using want was we what when where which who why will with work works would you your".split(" "));
  // Least share of a query that a question needs, the number of pages that counts as few, and the most results of a list.
  const LEAST = 0.5, FEW = 3, MOST = 20;
  // Weight of a word in the description of a page, in a heading and in its text, and weight of the best question.
  const IN_ABOUT = 0.6, IN_HEADING = 0.5, IN_TEXT = 0.3, BEST_QUESTION = 1;
  /** Pages that list vectors: they are many, and their titles are names. */
  const LISTS = "_generated/vectors/";
  /** A word without a question counts as if this number of pages contained it. */
  const UNASKED = 4;
  const stemmer = new Stemmer();
  const stems = (text) => [...new Set(splitQuery(text.toLowerCase()).filter((word) => !STOP.has(word)).map((word) => stemmer.stemWord(word)))];
  const phrases = Object.entries(ASKED.pages).map(([page, listed]) => [page, listed.map((text) => new Set(stems(text)))]);
  const abouts = Object.entries(ASKED.about).map(([page, text]) => [page, new Set(stems(text))]);
  let titles = null;
  /** Pages with the words of their titles; the index may be loaded after this script. */
  const titled = () => (titles ??= [
    ...Search._index.docnames.map((page, at) => [page, new Set(stems(Search._index.titles[at]))]),
    ...Object.entries(ASKED.titles ?? {}).map(([page, title]) => [page, new Set(stems(title))]),
  ]);
  const pagesWith = new Map();
  for (const [, listed] of phrases)
    for (const word of new Set(listed.flatMap((phrase) => [...phrase]))) pagesWith.set(word, (pagesWith.get(word) ?? 0) + 1);
  const weight = (word) => Math.log(1 + phrases.length / (pagesWith.get(word) ?? UNASKED));
  const sum = (words) => words.reduce((total, word) => total + weight(word), 0);
  const isKnown = (word) => pagesWith.has(word) || word in Search._index.terms || word in Search._index.titleterms;

  /** The share of the words that the best question of a page has, times its precision. */
  function bestQuestion(listed, words, whole) {
    let best = 0;
    for (const phrase of listed) {
      const common = words.filter((word) => phrase.has(word));
      const covered = sum(common) / whole, precise = sum(common) / sum([...phrase]);
      if (covered >= LEAST && (words.length > 1 || precise === 1)) best = Math.max(best, covered * (0.6 + 0.4 * precise));
    }
    return best;
  }

  /** Pages whose best question has at least the least share of the words, the best first. */
  function asked(words) {
    const whole = sum(words);
    if (!whole) return [];
    const found = phrases.map(([page, listed]) => [page, bestQuestion(listed, words, whole)]).filter(([, best]) => best);
    return found.sort((a, b) => b[1] - a[1]).slice(0, MOST);
  }

  /** The pages of a word in a part of the index. */
  const indexed = (terms, word) => (Object.hasOwn(terms, word) ? [terms[word]].flat().map((at) => Search._index.docnames[at]) : []);

  /** The weight of a word for each page that has it: 1 in a question or the title, less elsewhere. */
  function shares(word) {
    const found = new Map();
    const note = (page, share) => found.set(page, Math.max(found.get(page) ?? 0, share));
    for (const page of indexed(Search._index.terms, word)) note(page, IN_TEXT);
    for (const page of indexed(Search._index.titleterms, word)) note(page, IN_HEADING);
    for (const [page, about] of abouts) if (about.has(word)) note(page, IN_ABOUT);
    for (const [page, title] of titled()) if (title.has(word)) note(page, page.startsWith(LISTS) ? IN_ABOUT : 1);
    for (const [page, listed] of phrases) if (listed.some((phrase) => phrase.has(word))) note(page, 1);
    return found;
  }

  /** Pages by the words that they have and by their best question, the best first. */
  function some(words) {
    const whole = sum(words), total = new Map();
    if (!whole) return [];
    for (const word of words)
      for (const [page, share] of shares(word)) total.set(page, (total.get(page) ?? 0) + weight(word) * share);
    for (const [page, listed] of phrases)
      if (total.has(page)) total.set(page, total.get(page) + BEST_QUESTION * whole * bestQuestion(listed, words, whole));
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
    const first = words.length === 1 ? asked(words) : some(words);
    const found = [...first.map(([page, score]) => item(page, 1000 + score)), ...every];
    const isFew = words.length === 1 && new Set(found.map(([page]) => page)).size < FEW;
    if (isFew) found.push(...some(words).map(([page, score]) => item(page, score)));
    const once = new Map();
    for (const result of found) if (!once.has(result[0])) once.set(result[0], result);
    const shown = new Map();
    for (const [, title] of once.values()) shown.set(title, (shown.get(title) ?? 0) + 1);
    for (const result of once.values()) if (shown.get(result[1]) > 1) result[1] = `${result[1]} (${result[0].replace("_generated/", "")})`;
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
