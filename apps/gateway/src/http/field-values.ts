import type { TextReader } from "@carillon/contract";
import type { FieldValue } from "./field-sink.ts";

/** Characters of a text that is kept: parameters that may have more are refused, and say so (http-contract.md §8.1). */
const mostKept = 2_000_000;

/** A value that is kept as a text. One that is too long for any parameter loses its end. */
export class TextValue implements FieldValue {
  readonly #done: (text: string) => void;
  #text = "";

  constructor(done: (text: string) => void) {
    this.#done = done;
  }

  write(text: string): void {
    if (this.#text.length < mostKept) this.#text += text;
  }

  end(): void {
    this.#done(this.#text);
  }
}

/** A value that nobody asks for. */
export class DroppedValue implements FieldValue {
  readonly end: () => void;

  constructor(done: () => void) {
    this.end = done;
  }

  write(): void {}
}

/** A value that is read as it comes. What is wrong with it is heard of at the end: another of its name may follow. */
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
