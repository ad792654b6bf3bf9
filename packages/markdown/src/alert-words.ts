import { findUrls } from "./links/find-urls.ts";

interface Node {
  /** Children by the next piece of the text: a run of word characters, or one separator. */
  next: Map<string, Node> | undefined;
  /** Accounts whose word ends here. */
  owners: Set<number> | undefined;
}

/** Separators of words: white space and common punctuation; `/`, `-`, `@`, `#` and `_` are word characters. */
const between = String.raw`\s,.;:!?'"()[\]{}<>*~${"`"}\|\u2026\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u201a\u2013\u2014\u3001\u3002\uff0c\uff01\uff1f\uff1b\uff1a\uff08\uff09\u300c\u300d\u300e\u300f`;
const pieces = new RegExp(`[${between}]|[^${between}]+`, "gu");
const isBetween = new RegExp(`^[${between}]$`, "u");

/**
 * Finds the alert words of many accounts in one pass over a text (messages.md §3). Words are stored in a trie of pieces, so
 * the cost of a text grows with its length, not with the number of words. The words of an account can be replaced at any
 * time.
 */
export class AlertWords {
  readonly #root: Node = { next: undefined, owners: undefined };
  /** Each account's words, cut into pieces. */
  readonly #words = new Map<number, ReadonlyArray<readonly string[]>>();
  #size = 0;

  /** Number of words of all accounts. */
  get size(): number {
    return this.#size;
  }

  /** Replaces the words of an account. */
  replace(owner: number, words: readonly string[]): void {
    for (const word of this.#words.get(owner) ?? []) remove(this.#root, word, 0, owner);
    const own = words
      .map((word) => piecesOf(folded(word.trim())))
      .filter(({ length }) => length > 0);
    this.#size += own.length - (this.#words.get(owner)?.length ?? 0);
    for (const word of own) this.#add(word, owner);
    if (own.length > 0) this.#words.set(owner, own);
    else this.#words.delete(owner);
  }

  /** Returns the accounts whose words the raw content contains as whole words, outside URLs. */
  ownersIn(content: string): Set<number> {
    const owners = new Set<number>();
    if (this.#size === 0) return owners;
    const text = folded(content);
    const cut = piecesOf(text);
    const found = new Set<Node>();
    let urls: ReturnType<typeof findUrls> | undefined;
    let nextUrl = 0;
    for (let i = 0, at = 0; i < cut.length; at += cut[i++]!.length) {
      if (!this.#root.next?.has(cut[i]!)) continue;
      if (i > 0 && !isBetween.test(cut[i - 1]!) && isBetween.test(cut[i]!)) continue;
      for (const [node, length] of this.#wordsAt(cut, i)) {
        if (found.has(node)) continue;
        urls ??= findUrls(text);
        while ((urls[nextUrl]?.end ?? Infinity) <= at) nextUrl++;
        if (at + length > (urls[nextUrl]?.start ?? Infinity)) continue;
        found.add(node);
        for (const owner of node.owners ?? []) owners.add(owner);
      }
    }
    return owners;
  }

  #add(word: readonly string[], owner: number): void {
    let node = this.#root;
    for (const piece of word) {
      node.next ??= new Map();
      let next = node.next.get(piece);
      if (!next) node.next.set(piece, (next = { next: undefined, owners: undefined }));
      node = next;
    }
    (node.owners ??= new Set()).add(owner);
  }

  /** Yields the words that begin at a piece of the text and end before a separator, with their lengths. */
  *#wordsAt(cut: readonly string[], first: number): Generator<[node: Node, length: number]> {
    let length = 0;
    let node = this.#root.next?.get(cut[first]!);
    for (let i = first; node; node = node.next?.get(cut[++i] ?? "")) {
      length += cut[i]!.length;
      const after = cut[i + 1];
      if (node.owners && (after === undefined || isBetween.test(after))) yield [node, length];
    }
  }
}

/** Removes a word of an account, and the nodes that become empty. */
function remove(node: Node, word: readonly string[], depth: number, owner: number): void {
  const piece = word[depth];
  if (piece === undefined) {
    node.owners?.delete(owner);
    if (node.owners?.size === 0) node.owners = undefined;
    return;
  }
  const child = node.next?.get(piece);
  if (!child) return;
  remove(child, word, depth + 1, owner);
  if (!child.owners && !child.next) node.next?.delete(piece);
  if (node.next?.size === 0) node.next = undefined;
}

function piecesOf(text: string): readonly string[] {
  return text.match(pieces) ?? [];
}

/** Lower-cases a text; a final sigma equals any other sigma. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}
