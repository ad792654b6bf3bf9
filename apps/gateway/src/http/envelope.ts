import { compressPieces, compressText, type Coding, type Encoding } from "./compression.ts";
import { handedOver } from "./handed-over.ts";
import { isLarge, isWritten, jsonSlices, listPieces, textPieces } from "./json-slices.ts";
import { isPaged, JsonText, Pages } from "./pages.ts";
import { holdsSecret } from "./secrets.ts";
import { pagedBytes } from "./unsent-answers.ts";

/** A successful answer, ready to be sent. */
export interface Outgoing {
  /** Pieces have no `Content-Length`, and are made no faster than the client reads them. */
  readonly body: string | Buffer | AsyncIterable<Buffer>;
  /** Bytes that it occupies in memory until the client has read it. */
  readonly bytes: number;
  readonly isPaged: boolean;
  readonly coding: Coding | undefined;
}

/**
 * Writes the JSON of a success: `result` and `msg` first, the ignored parameters last (http-contract.md §8). A large
 * answer is written in slices before it is sent, so that only its bytes stay in memory while the client reads. Pages
 * are read while the answer is sent; a failure ends the connection.
 * @param encoding chosen for the client; an answer with a secret is not compressed (http-contract.md §2.1)
 */
export async function writeSuccess(
  fields: object | void,
  ignored: readonly string[],
  { coding, from }: Encoding,
): Promise<Outgoing> {
  const answer = {
    result: "success",
    msg: "",
    ...fields,
    ...(ignored.length > 0 ? { ignored_parameters_unsupported: ignored } : {}),
  };
  if (isPaged(answer)) return writePaged(answer, coding);
  if (isLarge(answer)) {
    const { parts, bytes, isSecret } = await written(jsonSlices(answer));
    if (coding === undefined || isSecret)
      return { body: handedOver(parts), bytes, isPaged: false, coding: undefined };
    const compressed = await written(compressPieces(handedOver(parts), coding));
    return { body: handedOver(compressed.parts), bytes: compressed.bytes, isPaged: false, coding };
  }
  const text = JSON.stringify(answer);
  if (coding === undefined || text.length < from || holdsSecret(text))
    return { body: text, bytes: text.length, isPaged: false, coding: undefined };
  const body = await compressText(text, coding);
  return { body, bytes: body.length, isPaged: false, coding };
}

/** Writes everything but the pages at once, and each page when it is due. */
async function writePaged(answer: object, coding: Coding | undefined): Promise<Outgoing> {
  const parts: Array<Buffer | Pages<unknown> | JsonText> = [];
  let [bytes, isSecret] = [pagedBytes, false];
  let before = "{";
  for (const [key, value] of Object.entries(answer) as Array<[string, unknown]>) {
    if (!isWritten(value)) continue;
    const name = `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (value instanceof Pages || value instanceof JsonText) {
      parts.push(Buffer.from(name), value);
      continue;
    }
    const one = await written(jsonSlices(value, name));
    parts.push(...one.parts);
    bytes += one.bytes;
    isSecret ||= one.isSecret;
  }
  parts.push(Buffer.from("}"));
  const pieces = pagesOf(parts);
  const used = isSecret ? undefined : coding;
  const body = used === undefined ? pieces : compressPieces(pieces, used);
  return { body, bytes, isPaged: true, coding: used };
}

async function* pagesOf(
  parts: Array<Buffer | Pages<unknown> | JsonText>,
): AsyncGenerator<Buffer, void, void> {
  for (let part = parts.shift(); part; part = parts.shift())
    if (Buffer.isBuffer(part)) yield part;
    else if (part instanceof JsonText) yield* textPieces(part);
    else for await (const text of listPieces(part)) yield Buffer.from(text);
}

/** Collects all pieces as bytes, and notes whether they hold a secret. */
async function written(
  pieces: AsyncIterable<string | Buffer>,
): Promise<{ parts: Buffer[]; bytes: number; isSecret: boolean }> {
  const parts: Buffer[] = [];
  let [bytes, isSecret] = [0, false];
  for await (const piece of pieces) {
    isSecret ||= typeof piece === "string" && holdsSecret(piece);
    const part = Buffer.from(piece as string);
    bytes += part.length;
    parts.push(part);
  }
  return { parts, bytes, isSecret };
}
