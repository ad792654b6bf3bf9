import { createHash } from "node:crypto";
import type { TextReader } from "@carillon/contract";
import type { FieldValue } from "./field-sink.ts";

/** Maximum characters that are kept of a text: more than any parameter accepts (http-contract.md §8.1). */
const maxKept = 2_000_000;

/** Keeps a value as text, cut if it is too long for any parameter. */
export class TextValue implements FieldValue {
  readonly #done: (text: string) => void;
  #text = "";

  constructor(done: (text: string) => void) {
    this.#done = done;
  }

  write(text: string): void {
    if (this.#text.length < maxKept) this.#text += text;
  }

  end(): void {
    this.#done(this.#text);
  }
}

/** Drops a value that no parameter needs. */
export class DroppedValue implements FieldValue {
  readonly end: () => void;

  constructor(done: () => void) {
    this.end = done;
  }

  write(): void {}
}

/** Reads a value as a stream. It reports faults at the end, because a later field of the same name may replace it. */
export class ReadValue implements FieldValue {
  readonly #done: (read: () => unknown) => void;
  #reader: TextReader<unknown> | undefined;
  #error: unknown;

  constructor(reader: TextReader<unknown>, done: (read: () => unknown) => void) {
    this.#reader = reader;
    this.#done = done;
  }

  write(text: string): void {
    if (!this.#reader) return;
    try {
      this.#reader.write(text);
    } catch (error) {
      this.#error = error;
      this.#reader = undefined;
    }
  }

  end(): void {
    const [reader, error] = [this.#reader, this.#error];
    this.#done(() => {
      if (!reader) throw error;
      return reader.end();
    });
  }
}

/** Hashes a value while another one takes it. */
export class HashedValue implements FieldValue {
  readonly #value: FieldValue;
  readonly #done: (digest: string) => void;
  readonly #hash = createHash("sha256");

  /** @param done called with the SHA-256 of the text */
  constructor(value: FieldValue, done: (digest: string) => void) {
    this.#value = value;
    this.#done = done;
  }

  write(text: string): void {
    this.#hash.update(text);
    this.#value.write(text);
  }

  end(): void {
    this.#value.end();
    this.#done(this.#hash.digest("hex"));
  }
}
