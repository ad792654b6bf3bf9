import { Unusable } from "../../primitives/parameter.ts";

/** Receives the entries of an object in order: the pieces of each name, the pieces of its value, its end. */
interface EntrySink {
  readonly name: (piece: string) => void;
  readonly value: (piece: string) => void;
  readonly end: () => void;
}

/** Where the next character is in the object. */
type Place =
  | "before"
  | "first name"
  | "name"
  | "after name"
  | "before value"
  | "value"
  | "after value"
  | "next name"
  | "after";

const space = /[ \t\n\r]*/y;
/** Characters that need no escape in a JSON string. */
const plain = /[ !#-[\]-\u{10ffff}]+/uy;
const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const fourDigits = /^[0-9a-fA-F]{4}$/;

/**
 * Parses a JSON object of strings as a stream, in pieces of any length that cut no surrogate pair in two. It keeps no
 * text, so that it can read hundreds of megabytes. It passes on pieces that are at most as long as its input pieces and
 * cut no surrogate pair either.
 */
export class StringEntries {
  readonly #sink: EntrySink;
  #place: Place = "before";
  /** An incomplete escape: the backslash and what followed. */
  #escape = "";
  /** The high half of a surrogate pair written as two escapes. */
  #high = "";

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  /** Parses the next piece. @throws Unusable if the text is not a JSON object of strings; callers then stop writing */
  write(text: string): void {
    for (let at = 0; at < text.length;)
      at =
        this.#place === "name" || this.#place === "value"
          ? this.#inString(text, at)
          : this.#between(text, at);
  }

  /** Throws Unusable if the object has no end. */
  end(): void {
    if (this.#place !== "after") throw notJson();
  }

  #between(text: string, from: number): number {
    space.lastIndex = from;
    space.test(text);
    const at = space.lastIndex;
    const character = text[at];
    if (character === undefined) return at;
    const next = this.#after(character);
    if (next === undefined) throw this.#refusal(character);
    this.#place = next;
    return at + 1;
  }

  /** Returns the state after a character outside of strings. */
  #after(character: string): Place | undefined {
    switch (this.#place) {
      case "before":
        return character === "{" ? "first name" : undefined;
      case "first name":
        return character === '"' ? "name" : character === "}" ? "after" : undefined;
      case "next name":
        return character === '"' ? "name" : undefined;
      case "after name":
        return character === ":" ? "before value" : undefined;
      case "before value":
        return character === '"' ? "value" : undefined;
      case "after value":
        return character === "," ? "next name" : character === "}" ? "after" : undefined;
      default:
        return undefined;
    }
  }

  #refusal(character: string): Unusable {
    if (this.#place === "before" && /["[\-0-9tfn]/.test(character))
      return new Unusable("must be a JSON object");
    if (this.#place === "before value" && /[{[\-0-9tfn]/.test(character))
      return new Unusable("must contain only strings");
    return notJson();
  }

  #inString(text: string, from: number): number {
    if (this.#escape !== "") return this.#inEscape(text, from);
    plain.lastIndex = from;
    if (plain.test(text)) {
      this.#add(text.slice(from, plain.lastIndex));
      return plain.lastIndex;
    }
    if (text[from] === "\\") this.#escape = "\\";
    else if (text[from] === '"') this.#close();
    else throw notJson();
    return from + 1;
  }

  #close(): void {
    if (this.#high !== "") throw unstorable();
    if (this.#place === "name") {
      this.#place = "after name";
      return;
    }
    this.#place = "after value";
    this.#sink.end();
  }

  #inEscape(text: string, from: number): number {
    const missing = this.#escape[1] === "u" ? 6 - this.#escape.length : 1;
    this.#escape += text.slice(from, from + missing);
    const [, kind = ""] = this.#escape;
    if (kind !== "u") {
      const meant = simpleEscapes[kind];
      if (meant === undefined) throw notJson();
      this.#escape = "";
      this.#add(meant);
    } else if (this.#escape.length === 6) {
      const digits = this.#escape.slice(2);
      if (!fourDigits.test(digits)) throw notJson();
      this.#escape = "";
      this.#addUnit(Number.parseInt(digits, 16));
    }
    return Math.min(from + missing, text.length);
  }

  #addUnit(unit: number): void {
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (unit === 0 || isLow !== (this.#high !== "")) throw unstorable();
    const character = String.fromCharCode(unit);
    if (isLow) {
      const pair = this.#high + character;
      this.#high = "";
      this.#add(pair);
    } else if (unit >= 0xd800 && unit <= 0xdbff) this.#high = character;
    else this.#add(character);
  }

  #add(piece: string): void {
    if (this.#high !== "") throw unstorable();
    this.#sink[this.#place === "name" ? "name" : "value"](piece);
  }
}

function notJson(): Unusable {
  return new Unusable("must be JSON");
}

function unstorable(): Unusable {
  return new Unusable("must not contain U+0000 or lone surrogates");
}
