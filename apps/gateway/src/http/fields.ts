import { errors, type Operation } from "@carillon/contract";
import { DroppedValue, HashedValue, ReadValue, TextValue } from "./field-values.ts";
import type { FieldSink } from "./field-sink.ts";
import { decodeForm } from "./form-decoder.ts";

/** Maximum parameters of a request, more than any client sends (http-contract.md §4). */
const maxFields = 1_000;
/** Characters of a name; the answer repeats every unknown name. */
const maxName = 1_000;

/** The request's parameters: names to texts. The body overrides the query; the last of several equal names counts. */
export class Fields {
  readonly texts = new Map<string, string>();
  /** Results of parameters that were read as a stream. */
  readonly reads = new Map<string, () => unknown>();
  /** Digests of the texts of parameters that were read as a stream; empty unless requested. */
  readonly digests = new Map<string, string>();
  /** Names of file parts, which no operation takes. */
  readonly files = new Set<string>();
  readonly #wantsDigests: boolean;
  #count = 0;

  /** @param wantsDigests whether texts that are read as a stream are hashed */
  constructor(wantsDigests = false) {
    this.#wantsDigests = wantsDigests;
  }

  /**
   * Adds the fields of a query string or a form body, and overwrites its bytes: `+` is a space, escapes are decoded
   * once, invalid ones are kept, invalid UTF-8 is replaced, empty names are dropped.
   * @throws ApiError `BAD_REQUEST` over 1,000 fields, before they are decoded, and for a name that is too long
   */
  async addForm(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#admit(countFields(bytes));
    await decodeForm(bytes, (name, value) => {
      if (name !== "") this.add(name, value);
    });
  }

  /**
   * Sets the text of a field; of several with one name, the last counts.
   * @throws ApiError `BAD_REQUEST` for a name that is too long
   */
  add(name: string, value: string): void {
    checkName(name);
    this.texts.set(name, value);
    this.reads.delete(name);
    this.digests.delete(name);
  }

  /**
   * Makes a sink for a streamed body: streamed parameters are read, the text of others is kept, and of unknown fields
   * only the name.
   */
  sinkFor({ decoders, supported }: Operation): FieldSink {
    const readers = new Map(decoders.map(({ name, parameter }) => [name, parameter.codec.reader]));
    return {
      admit: () => this.#admit(1),
      file: ({ name }) => {
        this.addFile(name);
        return undefined;
      },
      field: (name) => {
        checkName(name);
        const reader = readers.get(name)?.();
        if (reader) {
          const value = new ReadValue(reader, (read) => {
            this.texts.delete(name);
            this.reads.set(name, read);
          });
          return this.#wantsDigests
            ? new HashedValue(value, (digest) => this.digests.set(name, digest))
            : value;
        }
        if (!supported.has(name)) return new DroppedValue(() => this.add(name, ""));
        return new TextValue((text) => this.add(name, text));
      },
    };
  }

  /** Records that a field has a file. @throws ApiError `BAD_REQUEST` for a name that is too long */
  addFile(name: string): void {
    checkName(name);
    if (name !== "") this.files.add(name);
  }

  /** Counts one more part of a multipart body. */
  admitPart(): void {
    this.#admit(1);
  }

  #admit(count: number): void {
    this.#count += count;
    if (this.#count > maxFields) {
      throw errors.badRequest(`A request must not have more than ${maxFields} parameters`);
    }
  }
}

function checkName(name: string): void {
  if (name.length > maxName)
    throw errors.badRequest(`A parameter's name must not be longer than ${maxName} characters`);
}

/** Counts the parts between ampersands, until there are too many. */
function countFields(bytes: Buffer): number {
  let count = 1;
  for (
    let at = bytes.indexOf(0x26);
    at >= 0 && count <= maxFields;
    at = bytes.indexOf(0x26, at + 1)
  )
    count++;
  return count;
}
