// Scores of the search: explanations come first, then guides, then vectors, and last lists of interfaces and sources.
"use strict";
var Scorer = {
  score: ([page, , , , score, , kind]) => {
    if (page.startsWith("_generated/api/") || kind === "object") return score - 16;
    if (page.startsWith("_generated/source/")) return score - 12;
    if (page.startsWith("_generated/vectors/")) return score - 4;
    if (page === "_generated/changelog" || page === "_generated/matrix") return score - 8;
    if (page.startsWith("specification/")) return score + 12;
    if (page.startsWith("_generated/")) return score;
    return score + 14;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
