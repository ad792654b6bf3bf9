import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { waitFor } from "@carillon/testkit";

export const mebibyte = 1_024 * 1_024;

/** Random bytes, which bodies repeat. The period is no divisor of a part's length, so that exchanged parts change the hash. */
const pattern = randomBytes(mebibyte + 1);

/** Creates a body of the given size, in chunks as the network delivers them. */
export function bodyOf(size: number): { readonly body: Readable; readonly sha256: Buffer } {
  return { body: Readable.from(chunksOf(size), { objectMode: false }), sha256: hashOf(size) };
}

/** A body that sends the given number of bytes and then stalls, until the test ends or destroys it. */
export class StalledBody extends PassThrough {
  #sent = false;

  constructor(size: number) {
    super();
    void this.#send(size);
  }

  /** Waits until all bytes that were sent have been read. */
  async drained(): Promise<void> {
    await waitFor(() => this.#sent && this.readableLength === 0 && this.writableLength === 0, {
      what: "the body has been read",
    });
  }

  async #send(size: number): Promise<void> {
    for (const chunk of chunksOf(size)) if (!this.write(chunk)) await once(this, "drain");
    this.#sent = true;
  }
}

/** Returns the hash of the content of {@link bodyOf}. */
export function hashOf(size: number): Buffer {
  const hash = createHash("sha256");
  for (const chunk of chunksOf(size)) hash.update(chunk);
  return hash.digest();
}

/** Returns some bytes of the content of {@link bodyOf}. */
export function bytesOf(start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start + 1);
  for (let at = 0; at < bytes.length; at++) bytes[at] = pattern[(start + at) % pattern.length] ?? 0;
  return bytes;
}

/** Reads a stream and returns the hash of its bytes. */
export async function hashIn(stream: Readable): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest();
}

export function* chunksOf(size: number): Generator<Buffer> {
  const chunkBytes = 65_536;
  for (let sent = 0; sent < size;) {
    const start = sent % pattern.length;
    const chunk = pattern.subarray(start, start + Math.min(chunkBytes, size - sent));
    yield chunk;
    sent += chunk.length;
  }
}
