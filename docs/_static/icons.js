// The icons of the button for light and dark. The button needs a script, so pages need not contain the icons.
"use strict";
(() => {
  const ICONS = {
    'sun': ['Light mode', '<circle cx="12" cy="12" r="5"/><path d="M12 1v2M12 21v2M1 12h2M21 12h2M4.2 4.2l1.4 1.4M18.4 18.4l1.4 1.4M4.2 19.8l1.4-1.4M18.4 5.6l1.4-1.4"/>'],
    'moon': ['Dark mode', '<path d="M12 3a9 9 0 1 0 9 11A8 8 0 0 1 12 3z"/>'],
    'sun-with-moon': ['Auto light/dark, in light mode', '<circle cx="15" cy="9" r="4"/><path d="M15 1v1M15 16v1M7 9h1M22 9h1M9.3 3.3l.8.8M19.9 13.9l.8.8M19.9 4.1l.8-.8"/><path opacity=".5" d="M6 14a4 4 0 1 0 4 6A5 5 0 0 1 6 14z"/>'],
    'moon-with-sun': ['Auto light/dark, in dark mode', '<path d="M8 7a8 8 0 1 0 8 11A8 8 0 0 1 8 7z"/><g opacity=".5"><circle cx="18" cy="7" r="2"/><path d="M18 2v1M18 11v1M13 7h1M22 7h1M14.5 3.5l.7.7M20.8 9.8l.7.7M14.5 10.5l.7-.7M20.8 4.2l.7-.7"/></g>'],
  };
  const symbol = ([name, [title, path]]) =>
    `<symbol id="svg-${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1" stroke-linecap="round"><title>${title}</title>${path}</symbol>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" style="display:none">${Object.entries(ICONS).map(symbol).join("")}</svg>`;
  document.body.insertAdjacentHTML("afterbegin", svg);
})();
