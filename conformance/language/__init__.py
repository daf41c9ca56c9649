"""Plain-English checker: counts grammar that readers stumble over, per directory and per 1,000 words."""
