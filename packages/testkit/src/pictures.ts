import { crc32, deflateSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns a black PNG with one bit for each pixel, which is small however many pixels it has. */
export function pngPicture(width: number, height: number): Bytes {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 1 });
  const chunks = [chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))];
  return bytesOf(Buffer.from("89504e470d0a1a0a", "hex"), ...chunks);
}

function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Returns a GIF of one pixel that has the given number of frames. */
export function gifPicture(frames: number): Bytes {
  const head = Buffer.from("47494638396101000100800000000000ffffff", "hex");
  const frame = Buffer.from("21f904000a0000002c0000000001000100000202440100", "hex");
  return bytesOf(head, ...Array.from({ length: frames }, () => frame), Buffer.from(";"));
}

/** Returns a black TIFF without compression. */
export function tiffPicture(width: number, height: number): Bytes {
  const short = 3;
  const long = 4;
  const tags: ReadonlyArray<[tag: number, type: number, value: number]> = [
    [256, long, width],
    [257, long, height],
    [258, short, 8],
    [259, short, 1],
    [262, short, 1],
    [273, long, 8],
    [277, short, 1],
    [278, long, height],
    [279, long, width * height],
  ];
  const directory = Buffer.alloc(2 + 12 * tags.length + 4);
  directory.writeUInt16LE(tags.length, 0);
  for (const [i, [tag, type, value]] of tags.entries()) {
    directory.writeUInt16LE(tag, 2 + 12 * i);
    directory.writeUInt16LE(type, 4 + 12 * i);
    directory.writeUInt32LE(1, 6 + 12 * i);
    directory.writeUInt32LE(value, 10 + 12 * i);
  }
  const head = Buffer.from("II*\0\0\0\0\0", "latin1");
  head.writeUInt32LE(8 + width * height, 4);
  return bytesOf(head, Buffer.alloc(width * height), directory);
}

function bytesOf(...parts: readonly Buffer[]): Bytes {
  return new Uint8Array(Buffer.concat(parts));
}
