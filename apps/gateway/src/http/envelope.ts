import { compressPieces, compressText, type Coding, type Encoding } from "./compression.ts";
import { isLarge, isWritten, jsonSlices, listPieces } from "./json-slices.ts";
import { isPaged, JsonText, Pages } from "./pages.ts";
import { holdsSecret } from "./secrets.ts";
import { pagedBytes } from "./unsent-answers.ts";

/** A success, as it goes out. */
export interface Outgoing {
  /** With pieces it has no `Content-Length`, and is made no faster than the client takes it. */
  readonly body: string | Buffer | AsyncIterable<Buffer>;
  /** Bytes that it takes in memory until the client has taken it. */
  readonly bytes: number;
  readonly isPaged: boolean;
  readonly coding: Coding | undefined;
}

/**
 * The JSON text of a success: `result` and `msg` first, the ignored parameters last (http-contract.md §8). A large one is
 * written in slices before it goes out, so that it takes its own bytes alone while the client takes it. What comes in
 * pages is read while it goes out, and ends with the connection where either gives up.
 * @param encoding what the client takes; an answer with a secret in it goes out as it is (§2.1)
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

/** Everything but the pages is written at once, and the pages when it is their turn. */
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
    else for await (const text of listPieces(part)) yield Buffer.from(text);
}

/** All pieces as bytes, and whether a secret is among them. */
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

/** The parts one by one; each is let go once it is taken. */
async function* handedOver(parts: Buffer[]): AsyncGenerator<Buffer, void, void> {
  parts.reverse();
  for (let part = parts.pop(); part; part = parts.pop()) yield part;
}
