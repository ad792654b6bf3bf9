import { findUrls } from "./links/find-urls.ts";

interface Node {
  readonly next: Map<number, Node>;
  word: string | undefined;
}

/** Stands before or after a word: white space or common punctuation; `/`, `-`, `@`, `#` and `_` join. */
const BOUNDARY = /[\s,.;:!?'"()[\]{}<>*~`|…“”‘’«»„‚–—、。，！？；：（）「」『』]/u;

/** Finds many alert words in a text at once. Build one for an organization and keep it. */
export class AlertWordMatcher {
  readonly #root: Node = { next: new Map(), word: undefined };

  /** `words` compare case-insensitively; `find` reports them lower-cased. */
  constructor(words: Iterable<string>) {
    for (const word of words) this.#add(word.trim().toLowerCase());
  }

  /** The lower-cased words that the raw content contains as a whole, outside URLs (messages.md §3). */
  find(content: string): Set<string> {
    const found = new Set<string>();
    if (this.#root.next.size === 0) return found;
    const text = content.toLowerCase();
    let urls: ReturnType<typeof findUrls> | undefined;
    let nextUrl = 0;
    for (let at = 0; at < text.length; at++) {
      if (!this.#root.next.has(text.charCodeAt(at)) || !isBoundary(text, at - 1)) continue;
      for (const word of this.#wordsAt(text, at)) {
        if (found.has(word)) continue;
        urls ??= findUrls(text);
        while ((urls[nextUrl]?.end ?? Infinity) <= at) nextUrl++;
        if (at + word.length <= (urls[nextUrl]?.start ?? Infinity)) found.add(word);
      }
    }
    return found;
  }

  #add(word: string): void {
    if (word === "") return;
    let node = this.#root;
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      let next = node.next.get(code);
      if (next === undefined) node.next.set(code, (next = { next: new Map(), word: undefined }));
      node = next;
    }
    node.word = word;
  }

  #wordsAt(text: string, start: number): string[] {
    const words: string[] = [];
    let node: Node | undefined = this.#root;
    for (let at = start; node !== undefined && at < text.length; at++) {
      node = node.next.get(text.charCodeAt(at));
      if (node?.word !== undefined && isBoundary(text, at + 1)) words.push(node.word);
    }
    return words;
  }
}

/** The lower-cased ones of `words` that `content` contains. */
export function findAlertWords(content: string, words: Iterable<string>): Set<string> {
  return new AlertWordMatcher(words).find(content);
}

/** Whether `content` contains one of `words` (messages.md §3, `has_alert_word`). */
export function containsAlertWord(content: string, words: Iterable<string>): boolean {
  return findAlertWords(content, words).size > 0;
}

function isBoundary(text: string, at: number): boolean {
  return at < 0 || at >= text.length || BOUNDARY.test(text.charAt(at));
}
