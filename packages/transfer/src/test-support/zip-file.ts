import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip file. */
export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer | string;
  /** The size in the directory, if it should differ from the true one. */
  readonly claimedSize?: number;
}

/** Builds a zip file. It checks nothing, so that tests can build hostile ones. */
export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedSize } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crcOf(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.length, 18);
    fields.writeUInt16LE(nameBytes.length, 22);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), fields, nameBytes, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    const made = Buffer.from([20, 0]);
    directory.push(Buffer.from("PK\x01\x02", "latin1"), made, fields, rest, nameBytes);
    offset += 4 + 26 + nameBytes.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from("PK\x05\x06", "latin1"), end]);
}

function crcOf(bytes: Buffer): number {
  return crc32(bytes);
}
