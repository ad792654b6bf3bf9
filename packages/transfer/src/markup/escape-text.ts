/** What surrounds a text on its line. */
export interface Place {
  /** The character before the text; empty at the start of a line. */
  readonly before: string;
  /** Whether markup follows the text directly. */
  readonly beforeMarkup: boolean;
}

const SPECIAL = /[*~`@#$<&(]/;
const ENTITY = /&(?:#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,31});/iy;

/**
 * Escapes text of one line so that it is shown as it is. Characters that would be markup become entities, because the
 * protocol's Markdown has no escape character.
 */
export function escapeLine(line: string, place: Place): string {
  let text = line;
  if (SPECIAL.test(line)) {
    text = "";
    for (let at = 0; at < line.length; at++) {
      const character = line.charAt(at);
      text += isMarkup(line, at, place) ? entityOf(character) : character;
    }
  }
  return place.before === "" ? escapeLineStart(text) : text;
}

/** Whether the character would be, begin or end markup. */
function isMarkup(line: string, at: number, { before, beforeMarkup }: Place): boolean {
  const previous = at === 0 ? before : line.charAt(at - 1);
  const next = line.charAt(at + 1);
  const isNextMarkup = next === "" && beforeMarkup;
  switch (line.charAt(at)) {
    case "`":
      return true;
    case "*":
      // Between spaces it is text, or a bullet.
      return !(/^\s?$/.test(previous) && /^\s$/.test(next));
    case "~":
      return previous === "~" || next === "~" || isNextMarkup;
    case "@":
      return next === "*" || next === "_" || isNextMarkup;
    case "#":
      return next === "*" || isNextMarkup;
    case "$":
      return previous === "$" || next === "$";
    case "<":
      return line.startsWith("time:", at + 1);
    case "(":
      return previous === "]";
    case "&":
      ENTITY.lastIndex = at;
      return ENTITY.test(line);
    default:
      return false;
  }
}

/** Escapes what would be a heading, a quote or a rule. Lists stay lists. */
function escapeLineStart(text: string): string {
  return text
    .replace(/^#(?=#{0,5}[ \t])/, "&#35;")
    .replace(/^>/, "&gt;")
    .replace(/^([-_])(?=(?:[ \t]*\1){2}[-_ \t]*$)/, entityOf);
}

/** Escapes the text of a link. */
export function escapeLinkText(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return escapeLine(line, { before: "[", beforeMarkup: true })
    .replaceAll("[", "&#91;")
    .replaceAll("]", "&#93;");
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
