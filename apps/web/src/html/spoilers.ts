import { texts } from "../texts.ts";

let last = 0;

/** Hides spoilers behind a button that says whether they are shown. A click beside the button works, too. */
export function closeSpoilers(root: ParentNode): void {
  for (const block of root.querySelectorAll<HTMLElement>(".spoiler-block")) {
    const header = block.querySelector<HTMLElement>(":scope > .spoiler-header");
    const content = block.querySelector<HTMLElement>(":scope > .spoiler-content");
    if (!header || !content) continue;
    content.id = `spoiler-${++last}`;
    content.removeAttribute("aria-hidden");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "spoiler-button";
    button.setAttribute("aria-controls", content.id);
    const show = (isShown: boolean) => {
      content.hidden = !isShown;
      button.textContent = isShown ? texts.html.hideSpoiler : texts.html.showSpoiler;
      button.setAttribute("aria-expanded", String(isShown));
    };
    show(false);
    if (header.textContent?.trim() === "") header.textContent = texts.html.spoiler;
    header.append(button);
    header.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a")) return;
      show(content.hidden !== false);
    });
  }
}
