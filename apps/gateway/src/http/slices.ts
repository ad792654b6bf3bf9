import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/**
 * Bytes that are processed between two yields. They take half a millisecond, or a few milliseconds before V8 has compiled
 * the loop. V8's garbage collector would copy smaller pieces of text.
 */
export const sliceBytes = 128 * 1024;

/** Counts processed bytes, and yields to the event loop after many. */
export class Slices {
  #left = sliceBytes;

  /** Counts `bytes`; the caller must await a returned promise. */
  took(bytes: number): Promise<void> | undefined {
    this.#left -= bytes;
    if (this.#left > 0) return undefined;
    this.#left = sliceBytes;
    return yieldToEventLoop();
  }

  /** Decodes UTF-8, and replaces invalid bytes. */
  async textOf(bytes: Buffer): Promise<string> {
    if (bytes.length <= sliceBytes) {
      const text = bytes.toString("utf8");
      await this.took(bytes.length);
      return text;
    }
    let text = "";
    for (let from = 0; from < bytes.length;) {
      const to = characterStart(bytes, Math.min(from + sliceBytes, bytes.length));
      text += bytes.toString("utf8", from, to);
      await this.took(to - from);
      from = to;
    }
    return text;
  }
}

/** Returns the beginning of the UTF-8 character at `at`, at most three bytes back. */
function characterStart(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back++) {
    const byte = bytes[at - back];
    // Past the end, or no continuation byte.
    if (byte === undefined || (byte & 0xc0) !== 0x80) return at - back;
  }
  return at;
}
