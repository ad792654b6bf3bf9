import { TransferError } from "../transfer-error.ts";

/** Bytes that one element may have: a row or a message. */
const maxItem = 16 * 1024 * 1024;

/** An element of an array in a JSON file. */
export interface JsonItem {
  /** Name of the array; empty if the file is an array. */
  readonly list: string;
  readonly value: unknown;
  /** From 1, in its array. */
  readonly index: number;
  /** Length of its JSON. */
  readonly bytes: number;
}

/**
 * Reads the elements of a JSON file one after the other, so that the size of the file does not matter. The file is an
 * array, or an object of arrays; other members of the object are skipped.
 * @param wants whether the elements of an array are wanted; the others are not parsed
 * @throws TransferError for a file that is no JSON of this form, or has an element of more than 16 MB
 */
export async function* jsonItems(
  file: string,
  source: AsyncIterable<Buffer>,
  wants: (list: string) => boolean = () => true,
): AsyncGenerator<JsonItem> {
  const scanner = new Scanner(file, wants);
  try {
    for await (const bytes of source) yield* scanner.scan(bytes);
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(file, undefined, `cannot be read: ${(error as Error).message}`);
  }
  scanner.finish();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Finds where elements begin and end. `JSON.parse` checks what is in them. */
class Scanner {
  readonly #file: string;
  readonly #wants: (list: string) => boolean;
  #isWanted = true;
  /** Depth of the elements: 1 in an array, 2 in an object of arrays; 0 before the first character. */
  #itemDepth = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #list = "";
  #index = 0;
  /** Whether the array that is open has the elements. */
  #isList = false;
  /** Of an object: the text of a member's name and value, without arrays. */
  #member = "";
  /** The element so far. */
  #parts: Buffer[] = [];
  #length = 0;

  constructor(file: string, wants: (list: string) => boolean) {
    this.#file = file;
    this.#wants = wants;
  }

  *scan(bytes: Buffer): Generator<JsonItem> {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
        if (!this.#isList) this.#addToMember(byte);
        continue;
      }
      if (this.#itemDepth === 0) {
        if (!isSpaceOrMark(byte)) this.#begin(byte);
        start = at + 1;
        continue;
      }
      if (this.#depth === 0) {
        if (!isSpaceOrMark(byte)) this.#fail("has something after its end");
        continue;
      }
      const isBetween = this.#isList && this.#depth === this.#itemDepth;
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.#depth++;
          if (this.#depth > 1000) this.#fail("is nested too deeply");
          if (byte === OPEN_ARRAY && this.#itemDepth === 2 && this.#depth === 2) {
            this.#beginList();
            start = at + 1;
            continue;
          }
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (isBetween) {
            if (byte === CLOSE_OBJECT) this.#fail("is not JSON");
            yield* this.#endItem(bytes.subarray(start, at), true);
            this.#isList = false;
          }
          this.#depth--;
          break;
        case COMMA:
          if (isBetween) {
            yield* this.#endItem(bytes.subarray(start, at), false);
            start = at + 1;
            continue;
          }
          if (this.#depth === 1 && this.#itemDepth === 2) {
            this.#member = "";
            continue;
          }
          break;
        default:
      }
      if (!this.#isList) this.#addToMember(byte);
    }
    if (this.#isList) this.#add(bytes.subarray(start));
  }

  /** @throws TransferError when the file ended too early */
  finish(): void {
    if (this.#itemDepth === 0) this.#fail("is empty");
    if (this.#depth > 0) this.#fail("does not end: it was cut off");
  }

  #begin(byte: number): void {
    if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) this.#fail("is not a JSON array or object");
    this.#depth = 1;
    this.#itemDepth = byte === OPEN_ARRAY ? 1 : 2;
    this.#isList = byte === OPEN_ARRAY;
  }

  #beginList(): void {
    const name = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(this.#member)?.[1];
    if (name === undefined) this.#fail("is not JSON");
    this.#list = JSON.parse(name) as string;
    this.#index = 0;
    this.#isList = true;
    this.#isWanted = this.#wants(this.#list);
  }

  *#endItem(last: Buffer, mayBeEmpty: boolean): Generator<JsonItem> {
    if (!this.#isWanted) return;
    this.#add(last);
    const [first] = this.#parts;
    const text = (
      this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts)
    ).toString();
    const bytes = this.#length;
    this.#parts = [];
    this.#length = 0;
    if (text.trim() === "" && mayBeEmpty && this.#index === 0) return;
    this.#index++;
    let value: unknown;
    try {
      value = parseWithoutNul(text);
    } catch {
      this.#fail(`is not JSON in element ${this.#index}${this.#list && ` of ${this.#list}`}`);
    }
    yield { list: this.#list, value, index: this.#index, bytes };
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0 || !this.#isWanted) return;
    this.#length += bytes.length;
    if (this.#length > maxItem)
      this.#fail(
        `has more than ${maxItem} bytes in element ${this.#index + 1}${this.#list && ` of ${this.#list}`}`,
      );
    this.#parts.push(bytes);
  }

  /** Keeps the name of a member of the outer object; what is longer is no name of ours. */
  #addToMember(byte: number): void {
    if (this.#depth === 1 && this.#member.length < 1000) this.#member += String.fromCharCode(byte);
  }

  #fail(problem: string): never {
    throw new TransferError(this.#file, undefined, problem);
  }
}

/** White space, and the bytes of a byte order mark. */
function isSpaceOrMark(byte: number): boolean {
  return byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

/** Parses JSON. Drops NUL characters, which PostgreSQL does not store. */
function parseWithoutNul(text: string): unknown {
  if (!text.includes("\\u0000")) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll("\0", "") : value,
  );
}
