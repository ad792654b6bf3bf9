import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Bytes that are looked at in one go: half a millisecond, and a few where V8 has not compiled the loop yet. With fewer
 * the pieces of text would be small enough for V8 to copy them when it collects its garbage.
 */
export const sliceBytes = 128 * 1024;

/** Keeps count of the bytes that were looked at, and lets others have their turn where they were many. */
export class Slices {
  #left = sliceBytes;

  /** Notes `bytes`; where it returns something, that must be awaited. */
  took(bytes: number): Promise<void> | undefined {
    this.#left -= bytes;
    if (this.#left > 0) return undefined;
    this.#left = sliceBytes;
    return nextTurn();
  }

  /** The text of UTF-8 bytes; what is invalid is replaced. */
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

/** Where the UTF-8 character begins that `at` lies in; three bytes back at most, which is all that belong to one. */
function characterStart(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back++) {
    const byte = bytes[at - back];
    // Past the end, or not one that continues a character.
    if (byte === undefined || (byte & 0xc0) !== 0x80) return at - back;
  }
  return at;
}
