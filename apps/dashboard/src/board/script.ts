/**
 * Runs on bull-board's pages before its own scripts: makes charts show UTC, and names icon buttons. bull-board's
 * configuration covers neither.
 */
export const boardScript = String.raw`"use strict";
(() => {
  for (const method of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    const original = Date.prototype[method];
    Date.prototype[method] = function (_locales, options) {
      return original.call(this, "en-GB", { ...options, timeZone: "UTC", hour12: undefined, hourCycle: "h23" });
    };
  }

  /** Names of buttons by their icons; other icons are named by their class. */
  const names = {
    maximize: "Full screen",
    minimize: "Leave full screen",
    settings: "Settings",
    "circle-user": "Links",
    "ellipsis-vertical": "More actions",
  };

  function nameButtons() {
    for (const button of document.querySelectorAll("button:not([aria-label], [aria-labelledby])")) {
      if (button.textContent.trim() || button.title) continue;
      const icon = /(?:^| )lucide-([a-z0-9-]+)/.exec(button.querySelector("svg")?.getAttribute("class") ?? "")?.[1];
      if (icon) button.setAttribute("aria-label", names[icon] ?? icon.replaceAll("-", " "));
    }
  }

  // React renders the buttons later, and some again.
  new MutationObserver(nameButtons).observe(document.documentElement, { childList: true, subtree: true });
})();
`;
