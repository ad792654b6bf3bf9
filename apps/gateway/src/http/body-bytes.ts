import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { errors } from "@carillon/contract";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The bytes of a body, decompressed.
 * @throws ApiError 413 over `limit` bytes, before or after decompression; 400 for an unknown or broken compression,
 * and for a body that breaks off
 */
export async function bodyBytes(
  req: IncomingMessage,
  res: ServerResponse,
  limit: number,
): Promise<Buffer> {
  if (Number(req.headers["content-length"] ?? 0) > limit) throw errors.requestTooLarge(limit);
  const encoding = (req.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const decoder = encoding === "identity" ? undefined : decoders[encoding]?.();
  if (!decoder && encoding !== "identity") throw undecodable();
  if (/^100-continue$/i.test(req.headers.expect ?? "")) res.writeContinue();
  try {
    return await gather(decoder ? req.pipe(decoder) : req, limit);
  } finally {
    // What it still says about the rest of a broken body is nobody's business.
    decoder?.on("error", () => {}).destroy();
  }
}

function gather(stream: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(errors.requestTooLarge(limit));
      else chunks.push(chunk);
    });
    stream.on("end", () => resolve(Buffer.concat(chunks)));
    stream.on("error", () => reject(undecodable()));
    stream.on("close", () => reject(undecodable()));
  });
}

function undecodable() {
  return errors.badRequest("The body cannot be decoded");
}
