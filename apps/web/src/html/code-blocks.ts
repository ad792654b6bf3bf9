import { copyText } from "../clipboard.ts";
import { texts } from "../texts.ts";

/** Gives blocks of code their language and a button that copies them, and lets the keyboard scroll them. */
export function prepareCode(root: ParentNode): void {
  for (const block of root.querySelectorAll<HTMLElement>("div.codehilite")) {
    const code = block.querySelector("pre");
    if (!code) continue;
    code.tabIndex = 0;
    code.dir = "ltr";
    const bar = document.createElement("div");
    bar.className = "code-bar";
    const language = document.createElement("span");
    language.textContent = block.dataset["codeLanguage"] ?? "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-copy";
    button.textContent = texts.common.copy;
    button.addEventListener("click", () => void copy(code, button));
    bar.append(language, button);
    block.prepend(bar);
  }
}

async function copy(code: HTMLElement, button: HTMLElement): Promise<void> {
  if (await copyText(code.textContent ?? "")) button.textContent = texts.common.copied;
  else select(code);
  setTimeout(() => (button.textContent = texts.common.copy), 2_000);
}

/** Selects a text for copying it by the keyboard. */
function select(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
}
