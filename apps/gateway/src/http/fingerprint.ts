import { createHash, hash } from "node:crypto";
import type { Decoder, Operation } from "@carillon/contract";

import type { Fields } from "./fields.ts";
import { Slices } from "./slices.ts";

/** UTF-16 units that are hashed at once. */
const sliceLength = 64 * 1024;

/** Name and text of a parameter. */
type Sent = readonly [name: string, text: string];

/**
 * Returns the SHA-256 of a request's parameters (once-and-again.md §1): path parameters, and the texts of the parameters
 * that have an effect, under their canonical names. Order, place and encoding make no difference. Long texts are hashed in
 * slices of {@link sliceLength}, so that 2 MiB do not block the event loop.
 * @param path decoded
 */
export async function fingerprintOf(
  { decoders }: Operation,
  path: object,
  fields: Fields,
): Promise<Buffer> {
  const sent = [
    ...Object.entries(path).map(([name, value]): Sent => [`/${name}`, JSON.stringify(value)]),
    ...sentParameters(decoders, fields).sort(byName),
  ];
  const length = sent.reduce((sum, [, text]) => sum + text.length, 0);
  return length <= sliceLength
    ? hash("sha256", sent.map(withLength).join(""), "buffer")
    : hashInSlices(sent);
}

/** Begins with the length of the text, so that different parameters never yield the same bytes. */
function withLength([name, text]: Sent): string {
  return `${name}:${text.length}:${text}`;
}

/** Lists names and texts. For a parameter that can be read as a stream, it lists the digest of the text instead. */
function sentParameters(decoders: readonly Decoder[], fields: Fields): Sent[] {
  const sent: Sent[] = [];
  for (const { name, aliases, parameter } of decoders) {
    const { presence, codec } = parameter;
    if (presence.ignored || presence.mayDifferInRepeats) continue;
    const streamed = fields.digests.get(name);
    const text = streamed ?? textOf(fields, name, aliases);
    if (text === undefined) continue;
    sent.push([name, codec.reader && streamed === undefined ? hash("sha256", text) : text]);
  }
  return sent;
}

function textOf({ texts }: Fields, name: string, aliases: readonly string[]): string | undefined {
  const text = texts.get(name);
  if (text !== undefined || aliases.length === 0) return text;
  return texts.get(aliases.find((alias) => texts.has(alias)) ?? name);
}

function byName([a]: Sent, [b]: Sent): number {
  return a < b ? -1 : 1;
}

/** Hashes in slices. Returns the same digest as hashing at once. */
async function hashInSlices(sent: readonly Sent[]): Promise<Buffer> {
  const digest = createHash("sha256");
  const slices = new Slices();
  for (const one of sent) {
    const text = withLength(one);
    for (let from = 0; from < text.length;) {
      const to = wholeCharacters(text, from + sliceLength);
      digest.update(text.slice(from, to));
      const pause = slices.took(to - from);
      if (pause) await pause;
      from = to;
    }
  }
  return digest.digest();
}

/** Moves `at` behind a surrogate pair that it would cut in two. */
function wholeCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
