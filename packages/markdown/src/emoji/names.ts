import { gemoji } from "gemoji";
import { chatNames } from "./chat-names.ts";

/**
 * Returns the code of a Unicode emoji (rendering.md §3, `emoji_code` of reactions): hex code points joined by `-`, without
 * variation selectors.
 */
export function emojiCode(emoji: string): string {
  const points = Array.from(emoji, (character) => character.codePointAt(0) ?? 0);
  return points
    .filter((point) => point !== 0xfe0f)
    .map((point) => point.toString(16).padStart(4, "0"))
    .join("-");
}

/** Every name and alias of a Unicode emoji → its code: `smile` → `1f642`. */
export const emojiNames: ReadonlyMap<string, string> = collectNames();

/** Code of a Unicode emoji → its names; the first is the one shown for the typed character. */
export const codeToNames: ReadonlyMap<string, readonly string[]> = groupByCode(emojiNames);

function collectNames(): Map<string, string> {
  const names = new Map<string, string>();
  const add = (name: string, code: string): void => {
    if (!names.has(name)) names.set(name, code);
  };
  for (const [code, own] of chatNames) for (const name of own) add(name, code);
  for (const { emoji, names: own } of gemoji) for (const name of own) add(name, emojiCode(emoji));
  for (const { emoji, description } of gemoji) add(nameOf(description), emojiCode(emoji));
  // An emoji whose names all belong to other emoji gets its description with the suffix `_2`.
  const named = new Set(names.values());
  for (const { emoji, description } of gemoji)
    if (!named.has(emojiCode(emoji))) add(`${nameOf(description)}_2`, emojiCode(emoji));
  return names;
}

/** `grinning face with smiling eyes` → `grinning_face_with_smiling_eyes`. */
function nameOf(description: string): string {
  const plain = description.normalize("NFD").replace(/[\u0300-\u036f\u2019']/g, "");
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
}

function groupByCode(names: ReadonlyMap<string, string>): Map<string, string[]> {
  const codes = new Map<string, string[]>();
  for (const [name, code] of names) {
    const own = codes.get(code);
    if (own === undefined) codes.set(code, [name]);
    else own.push(name);
  }
  return codes;
}
