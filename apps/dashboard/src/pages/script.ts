/**
 * The script that refreshes pages in place, without losing focus, scroll position or input. Existing elements are kept and
 * matched with the fetched page by id or `data-key`, others by position. Pages work without it and reload then.
 */
export const script = String.raw`"use strict";
(() => {
  const every = Number(document.body.dataset.refresh) * 1000;
  const bar = document.getElementById("refreshing");
  if (!every || !bar) return;
  const button = document.getElementById("pause");
  const refreshed = document.getElementById("refreshed");
  const spoken = document.getElementById("spoken");
  const stored = "carillon-paused";
  let paused = sessionStorage.getItem(stored) === "true";
  let said = sentence(document);
  let failed = false;
  let timer = 0;

  bar.hidden = false;
  show();
  later();
  button.addEventListener("click", () => {
    paused = !paused;
    sessionStorage.setItem(stored, String(paused));
    show();
    if (paused) clearTimeout(timer);
    else refresh();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !paused) refresh();
  });

  function show() {
    button.setAttribute("aria-pressed", String(paused));
    button.textContent = paused ? "Resume refreshing" : "Pause refreshing";
  }

  function later() {
    clearTimeout(timer);
    if (!paused) timer = setTimeout(refresh, every);
  }

  async function refresh() {
    clearTimeout(timer);
    if (paused || document.hidden) return;
    try {
      const answer = await fetch(location.href, {
        headers: { accept: "text/html" },
        cache: "no-store",
        signal: AbortSignal.timeout(10_000),
      });
      if (!answer.ok && answer.status !== 404) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("main");
      if (!fresh) throw new Error("no page");
      if (paused) return;
      document.title = page.title;
      morph(document.querySelector("main"), fresh);
      refreshed.textContent = page.getElementById("refreshed").textContent;
      failed = false;
      say(sentence(page));
    } catch {
      if (!failed) refreshed.textContent += ": since then the dashboard does not answer";
      failed = true;
      say("The dashboard does not answer.");
    }
    later();
  }

  /** Returns the text to announce. */
  function sentence(page) {
    return page.querySelector("main [data-spoken]")?.dataset.spoken ?? "";
  }

  /** Announces a text to screen readers, only when it has changed. */
  function say(text) {
    if (text === said) return;
    said = text;
    spoken.textContent = text;
  }

  function keyOf(node) {
    return node.nodeType === 1 ? node.id || node.dataset.key || "" : "";
  }

  /** Updates the children of one element to match the other's. */
  function morph(old, fresh) {
    const wanted = new Set([...fresh.childNodes].map(keyOf));
    for (const node of [...old.childNodes]) if (keyOf(node) && !wanted.has(keyOf(node))) node.remove();
    const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
    let at = old.firstChild;
    for (const node of [...fresh.childNodes]) {
      const key = keyOf(node);
      let match = key ? keyed.get(key) : at;
      if (!match || match.nodeName !== node.nodeName || (!key && keyOf(match))) match = undefined;
      if (!match) {
        old.insertBefore(document.importNode(node, true), at);
        continue;
      }
      if (match === at) at = at.nextSibling;
      else old.insertBefore(match, at);
      if (node.nodeType === 1) {
        attributes(match, node);
        morph(match, node);
      } else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue;
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  /** Updates attributes, but keeps opened details and typed values. */
  function attributes(old, fresh) {
    const typed = old.nodeName === "INPUT" && old.type !== "hidden" ? "value" : "";
    const theirs = (name) => name === "open" || name === typed;
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !theirs(name)) old.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes])
      if (old.getAttribute(name) !== value && !theirs(name)) old.setAttribute(name, value);
  }
})();
`;
