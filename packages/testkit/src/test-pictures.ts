import { crc32, deflateSync } from "node:zlib";
import type { WholeExample } from "@carillon/contract";

/** Makes a PNG of one colour. @param rgb three bytes */
export function testPng(
  width: number,
  height: number,
  rgb: readonly number[] = [200, 30, 30],
): Blob {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => rgb).flat()]);
  const pixels = Buffer.concat(Array.from({ length: height }, () => row));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each of three colours.
  head.set([8, 2], 8);
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(pixels)), chunk("IEND")];
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return new Blob([Buffer.concat([signature, ...chunks])], { type: "image/png" });
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Returns width and height of a PNG. */
export function sizeOfPng(png: Uint8Array): readonly [width: number, height: number] {
  const bytes = Buffer.from(png);
  if (bytes.toString("latin1", 1, 4) !== "PNG") throw new Error("the bytes are no PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** A GIF of 6 × 4 pixels and two frames. */
export const testGif = new Blob(
  [
    Buffer.from(
      "R0lGODlhBgAEAIAAAExpcf8AACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFCgAAACwAAAAABgAEAAACBIyPqVcAIfkEBQoAAAAsAAAAAAYABACATGlxAAD/AgSMj6lXADs=",
      "base64",
    ),
  ],
  { type: "image/gif" },
);

/** Returns the file of an operation's example as a client sends it. */
export function exampleBlob(file: NonNullable<WholeExample["file"]>): Blob {
  return "content" in file
    ? new Blob([file.content])
    : new Blob([Buffer.from(file.base64, "base64")], { type: "image/png" });
}
