import type { HtmlContext } from "./context.ts";
import { emojiCharacters } from "../emoji/emoji-characters.ts";

/** Shows emoji: characters for those of Unicode, pictures for those of the organization. */
export function showEmoji(root: ParentNode, { organization }: HtmlContext): void {
  for (const emoji of root.querySelectorAll("span.emoji")) {
    const code = /(?:^| )emoji-(\S+)/.exec(emoji.className)?.[1] ?? "";
    emoji.textContent = emojiCharacters(code) || emoji.textContent;
  }
  for (const picture of root.querySelectorAll<HTMLImageElement>("img.emoji")) {
    const path = picture.dataset["src"];
    if (path !== undefined) picture.src = organization.site + path;
  }
}
