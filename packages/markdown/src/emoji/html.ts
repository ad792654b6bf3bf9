import { emojiNames } from "./names.ts";

/** Returns the element of a Unicode emoji; `name` must be in `emojiNames` (rendering.md §3). */
export function emojiHtml(name: string): string {
  const label = name.replaceAll("_", " ");
  return `<span aria-label="${label}" class="emoji emoji-${emojiNames.get(name)}" role="img" title="${label}">:${name}:</span>`;
}
