import { createHash, type Hash } from "node:crypto";
import { Unusable, type TextReader } from "../../primitives/parameter.ts";
import { StringEntries } from "./string-entries.ts";

/** Maximum number of entries that one request writes: each is a row, and 100,000 take some seconds. */
export const maxStorageEntries = 100_000;

/** UTF-16 units of an entry that is stored as one row; a longer entry is cut into rows of about this size. */
const maxLength = 65_536;
/** Units and entries of a full batch, which one statement stores. */
const fullAt = 131_072;
const maxEntries = 4_096;

/** Short entries: JSON lists of their names and, in the same order, of their values. */
export interface ShortEntries {
  readonly names: Buffer;
  readonly values: Buffer;
}

/** A long entry in parts: its name and value are those of its parts, concatenated. */
export interface LongEntry {
  /** SHA-256 of the name */
  readonly digest: Buffer;
  /** UTF-8 */
  readonly parts: ReadonlyArray<{ readonly name: Buffer; readonly value: Buffer }>;
}

/** Some entries of an object, in its order; the last of several equal names counts. */
export type StorageBatch = ShortEntries | LongEntry;

interface OpenEntry {
  readonly hash: Hash;
  readonly parts: Array<{ name: Buffer; value: Buffer }>;
}

/**
 * Reads a JSON object of strings, of any size, into batches. Batches are UTF-8 in buffers outside of the heap: garbage
 * collection would need a tenth of a second to copy the two million strings of a million short entries.
 */
export class StorageBatches implements TextReader<readonly StorageBatch[]> {
  readonly #entries = new StringEntries({
    name: (piece) => this.#grow(piece, ""),
    value: (piece) => this.#grow("", piece),
    end: () => this.#end(),
  });
  readonly #batches: StorageBatch[] = [];
  #names: string[] = [];
  #values: string[] = [];
  #units = 0;
  /** The name of the entry in progress, without the parts that are complete. */
  #name = "";
  #value = "";
  /** The entry in progress, once it is long. */
  #open: OpenEntry | undefined;
  #count = 0;

  /** Reads the next piece of the JSON text. @throws Unusable */
  write(text: string): void {
    this.#entries.write(text);
  }

  /** Returns the entries of the complete text. @throws Unusable if the object has no end */
  end(): readonly StorageBatch[] {
    this.#entries.end();
    this.#pack();
    return this.#batches;
  }

  #grow(name: string, value: string): void {
    this.#name += name;
    this.#value += value;
    if (this.#name.length + this.#value.length > maxLength) this.#cut();
  }

  #cut(): OpenEntry {
    this.#open ??= { hash: createHash("sha256"), parts: [] };
    this.#open.hash.update(this.#name, "utf8");
    this.#open.parts.push({ name: Buffer.from(this.#name), value: Buffer.from(this.#value) });
    this.#name = this.#value = "";
    return this.#open;
  }

  #end(): void {
    if (++this.#count > maxStorageEntries)
      throw new Unusable(
        `must not have more than ${maxStorageEntries} entries: send the others in further requests`,
      );
    if (this.#open) {
      const { hash, parts } = this.#name + this.#value === "" ? this.#open : this.#cut();
      this.#open = undefined;
      this.#pack();
      this.#batches.push({ digest: hash.digest(), parts });
      return;
    }
    this.#names.push(this.#name);
    this.#values.push(this.#value);
    this.#units += this.#name.length + this.#value.length;
    this.#name = this.#value = "";
    if (this.#units >= fullAt || this.#names.length >= maxEntries) this.#pack();
  }

  #pack(): void {
    if (this.#names.length === 0) return;
    const [names, values] = [this.#names, this.#values];
    this.#batches.push({ names: packed(names), values: packed(values) });
    this.#names = [];
    this.#values = [];
    this.#units = 0;
  }
}

function packed(texts: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(texts));
}
