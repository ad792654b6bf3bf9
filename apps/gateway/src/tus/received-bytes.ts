import type { FileIntake, StoredObject } from "../http/file-intake.ts";
import { ObjectWriter } from "../http/object-writer.ts";
import { TusRefusal } from "./tus-refusal.ts";

/** Maximum bytes of a tail, which is stored in the upload's row. More bytes become a part. */
const maxTail = 64 * 1024;

/** Maximum number of separate chunks in memory: a client may send one byte in each. */
const maxPending = 100;

/**
 * The bytes of one request to a resumable upload, after those of the upload's tail. Up to {@link maxTail} bytes stay in
 * memory, because otherwise requests with one byte each would store thousands of objects. More bytes stream into an object.
 */
export class ReceivedBytes {
  /** Bytes that have arrived in this request. */
  count = 0;
  readonly #intake: FileIntake;
  readonly #room: number;
  #pending: Buffer[];
  #pendingBytes: number;
  #object: ObjectWriter | undefined;

  /**
   * @param tail of the upload
   * @param room maximum bytes that may arrive
   */
  constructor(intake: FileIntake, tail: Buffer, room: number) {
    this.#intake = intake;
    this.#room = room;
    this.#pending = [tail];
    this.#pendingBytes = tail.length;
  }

  /**
   * Takes bytes. Returns a promise if the store is slower than the client.
   * @throws TusRefusal for more bytes than the upload has room for
   */
  write(chunk: Buffer): Promise<void> | undefined {
    if (this.count + chunk.length > this.#room)
      throw new TusRefusal(413, "The body has more bytes than are missing from the upload");
    this.count += chunk.length;
    if (this.#object) {
      this.#object.write(chunk);
      return this.#object.drained();
    }
    this.#pending.push(chunk);
    if (this.#pending.length > maxPending) this.#pending = [Buffer.concat(this.#pending)];
    this.#pendingBytes += chunk.length;
    return this.#pendingBytes > maxTail ? this.#begin().drained() : undefined;
  }

  /** The tail with the new bytes; undefined if the bytes stream into an object. */
  get tail(): Buffer | undefined {
    return this.#object ? undefined : Buffer.concat(this.#pending);
  }

  /** Stores tail and new bytes as an object. Resolves when it is durable. */
  async store(): Promise<StoredObject & { readonly head: Buffer }> {
    const object = this.#object ?? this.#begin();
    object.end();
    return object.stored();
  }

  /** Drops the bytes of this request. */
  async abandon(reason: unknown): Promise<void> {
    await this.#object?.abandon(reason);
  }

  #begin(): ObjectWriter {
    const object = new ObjectWriter(this.#intake);
    for (const bytes of this.#pending) object.write(bytes);
    this.#pending = [];
    return (this.#object = object);
  }
}
