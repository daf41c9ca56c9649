// Makes boxes that scroll sideways reachable by the keyboard.
"use strict";
(() => {
  const reach = () => {
    for (const box of document.querySelectorAll("article pre, article .table-wrapper")) {
      if (box.scrollWidth <= box.clientWidth || box.hasAttribute("tabindex")) continue;
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.tagName === "PRE" ? "Code, scrolls sideways" : "Table, scrolls sideways");
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
})();
