import { errors } from "@carillon/contract";
import { nextSlice } from "@carillon/kit";

/** Levels of a payload. */
const maxDepth = 64;
/** Milliseconds without a pause. */
const sliceMs = 5;
/** Values between two looks at the clock. */
const perLook = 256;

/** A list or an object that has begun and not ended. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  readonly isList: boolean;
  /** The name of the next field. */
  name: string;
}

/**
 * Parses JSON in slices. `JSON.parse` would block the event loop for up to 300 ms with 2 MiB of brackets or names.
 * @throws ApiError `BAD_REQUEST` for other texts, and for more than 64 levels
 */
export async function parseJson(text: string): Promise<unknown> {
  const reader = new JsonReader(text);
  let began = performance.now();
  while (!reader.isDone) {
    reader.read(perLook);
    if (performance.now() - began <= sliceMs) continue;
    await nextSlice();
    began = performance.now();
  }
  return reader.root;
}

/** Reads one JSON text, some values at a time. */
class JsonReader {
  isDone = false;
  root: unknown;
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads up to `count` values. */
  read(count: number): void {
    for (let left = count; left > 0 && !this.isDone; left--) {
      const value = this.#begin();
      if (value !== undefined) this.#end(value);
    }
  }

  /** Reads a value that is expected here; undefined for a list or an object with contents, which then come next. */
  #begin(): unknown {
    const mark = this.#next();
    switch (mark) {
      case "[":
      case "{":
        return this.#beginContainer(mark === "[");
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #beginContainer(isList: boolean): unknown {
    if (this.#open.length === maxDepth)
      throw errors.badRequest(`The payload must not be nested deeper than ${maxDepth} levels`);
    this.#at++;
    const value = isList ? [] : {};
    if (this.#next() === (isList ? "]" : "}")) {
      this.#at++;
      return value;
    }
    const open = { value, isList, name: "" };
    this.#open.push(open);
    if (!isList) this.#name(open);
    return undefined;
  }

  /** Adds a value to the list or object that contains it, and closes each one that is complete then. */
  #end(value: unknown): void {
    for (let ended = value; ;) {
      const open = this.#open.at(-1);
      const mark = this.#next();
      if (!open) {
        if (mark !== "") throw this.#fault();
        this.root = ended;
        this.isDone = true;
        return;
      }
      put(open, ended);
      this.#at++;
      if (mark === ",") {
        if (!open.isList) this.#name(open);
        return;
      }
      if (mark !== (open.isList ? "]" : "}")) throw this.#fault();
      ended = open.value;
      this.#open.pop();
    }
  }

  #name(open: Open): void {
    if (this.#next() !== '"') throw this.#fault();
    open.name = this.#string();
    if (this.#next() !== ":") throw this.#fault();
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    let end = start;
    for (;;) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw this.#fault();
      let backslashes = 0;
      while (this.#text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
      if (backslashes % 2 === 0) break;
    }
    this.#at = end + 1;
    const text = this.#text.slice(start + 1, end);
    return needsDecoding.test(text) ? this.#decoded(`"${text}"`) : text;
  }

  /** Decodes a string literal, or throws ApiError for an unknown escape or a control character. */
  #decoded(literal: string): string {
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw this.#fault();
    }
  }

  #number(): number {
    number.lastIndex = this.#at;
    const [digits] = number.exec(this.#text) ?? [];
    if (digits === undefined) throw this.#fault();
    this.#at += digits.length;
    return Number(digits);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#fault();
    this.#at += word.length;
    return value;
  }

  /** Skips white space, and returns the character behind it; `""` at the end. */
  #next(): string {
    for (; ; this.#at++) {
      const mark = this.#text.charAt(this.#at);
      if (mark !== " " && mark !== "\n" && mark !== "\r" && mark !== "\t") return mark;
    }
  }

  #fault() {
    return errors.badRequest("The payload must be JSON");
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// oxlint-disable-next-line no-control-regex -- JSON does not allow control characters in strings
const needsDecoding = /[\\\u0000-\u001f]/;

function put({ value, isList, name }: Open, item: unknown): void {
  if (isList) (value as unknown[]).push(item);
  else if (name === "__proto__")
    // An assignment would set the prototype.
    Object.defineProperty(value, name, {
      value: item,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else (value as Record<string, unknown>)[name] = item;
}
