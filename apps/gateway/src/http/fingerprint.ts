import { createHash, type Hash } from "node:crypto";
import type { Decoder, Operation } from "@carillon/contract";

import type { Fields } from "./fields.ts";
import { Slices } from "./slices.ts";

/** UTF-16 units that are hashed at once. */
const sliceLength = 64 * 1024;

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
  const hash = createHash("sha256");
  const slices = new Slices();
  for (const [name, value] of Object.entries(path))
    await add(hash, slices, `/${name}`, JSON.stringify(value));
  for (const [name, text] of sentParameters(decoders, fields).sort(byName))
    await add(hash, slices, name, text);
  return hash.digest();
}

/** Lists names and texts. For a parameter that can be read as a stream, it lists the digest of the text instead. */
function sentParameters(decoders: readonly Decoder[], fields: Fields): Array<[string, string]> {
  return decoders.flatMap(({ name, aliases, parameter }): Array<[string, string]> => {
    const { presence, codec } = parameter;
    if (presence.ignored || presence.mayDifferInRepeats) return [];
    const streamed = fields.digests.get(name);
    if (streamed !== undefined) return [[name, streamed]];
    const sentAs = [name, ...aliases].find((one) => fields.texts.has(one));
    const text = sentAs === undefined ? undefined : fields.texts.get(sentAs);
    if (text === undefined) return [];
    return [[name, codec.reader ? createHash("sha256").update(text).digest("hex") : text]];
  });
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** Hashes a parameter with the length of its text, so that different parameters never yield the same bytes. */
async function add(hash: Hash, slices: Slices, name: string, text: string): Promise<void> {
  hash.update(`${name}:${text.length}:`);
  for (let from = 0; from < text.length;) {
    const to = wholeCharacters(text, from + sliceLength);
    hash.update(text.slice(from, to));
    const pause = slices.took(to - from);
    if (pause) await pause;
    from = to;
  }
}

/** Moves `at` behind a surrogate pair that it would cut in two. */
function wholeCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
