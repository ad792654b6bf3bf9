import { StringDecoder } from "node:string_decoder";
import { unescapeForm } from "./form-decoder.ts";
import type { FieldSink, FieldValue } from "./field-sink.ts";

const ampersand = 0x26;
const equals = 0x3d;
const percent = 0x25;
const questionMark = 0x3f;
/** Characters of a name after which the rest is dropped; {@link FieldSink.field} has a far lower limit. */
const maxNameLength = 100_000;

/**
 * Decodes a form (`application/x-www-form-urlencoded`) as a stream, like {@link decodeForm}, for values that are too
 * long for memory. Overwrites the bytes.
 */
export class FormStream {
  readonly #sink: FieldSink;
  /** Holds an incomplete character of the name or value in progress. */
  #decoder = new StringDecoder("utf8");
  /** The beginning of an incomplete escape. */
  #cut = Buffer.alloc(0);
  #name = "";
  #value: FieldValue | undefined;
  /** Whether the pair in progress has any bytes. */
  #begun = false;
  #isFirst = true;

  constructor(sink: FieldSink) {
    this.#sink = sink;
    sink.admit();
  }

  /** Decodes the next bytes of the form, and passes the fields to the sink. @throws ApiError of the sink */
  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    // URLSearchParams drops a question mark at the beginning.
    const skipped = this.#isFirst && chunk[0] === questionMark ? chunk.subarray(1) : chunk;
    this.#isFirst = false;
    const bytes = this.#cut.length === 0 ? skipped : Buffer.concat([this.#cut, skipped]);
    const end = wholeEscapes(bytes);
    this.#cut = Buffer.from(bytes.subarray(end));
    this.#take(bytes.subarray(0, end));
  }

  /** Completes the last field. @throws ApiError of the sink */
  end(): void {
    this.#take(this.#cut);
    this.#endPair();
  }

  #take(bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const pairEnd = indexOr(bytes.length, bytes.indexOf(ampersand, from));
      const nameEnd = this.#value ? -1 : bytes.subarray(from, pairEnd).indexOf(equals);
      const end = nameEnd < 0 ? pairEnd : from + nameEnd;
      if (end > from || nameEnd >= 0) this.#begun = true;
      this.#grow(bytes.subarray(from, end));
      if (end < bytes.length) {
        if (nameEnd >= 0) this.#endName();
        else {
          this.#endPair();
          this.#sink.admit();
        }
      }
      from = end + 1;
    }
  }

  #grow(bytes: Buffer): void {
    const text = this.#decoder.write(bytes.subarray(0, unescapeForm(bytes, 0, bytes.length, 0)));
    if (this.#value) this.#value.write(text);
    else if (this.#name.length < maxNameLength) this.#name += text;
  }

  #endName(): void {
    this.#name += this.#decoder.end();
    this.#value = this.#name === "" ? dropped : this.#sink.field(this.#name);
  }

  #endPair(): void {
    if (!this.#begun) return;
    if (!this.#value) this.#endName();
    this.#value?.write(this.#decoder.end());
    this.#value?.end();
    this.#value = undefined;
    this.#name = "";
    this.#begun = false;
  }
}

/** Drops the value of a field without a name. */
const dropped: FieldValue = { write() {}, end() {} };

function indexOr(otherwise: number, index: number): number {
  return index < 0 ? otherwise : index;
}

/** Returns the length of the bytes without an incomplete escape at their end. */
function wholeEscapes(bytes: Buffer): number {
  for (const back of [1, 2]) if (bytes[bytes.length - back] === percent) return bytes.length - back;
  return bytes.length;
}
