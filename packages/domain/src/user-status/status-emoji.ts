import { errors } from "@carillon/contract";
import { emojiNames } from "@carillon/markdown";

import type { UserStatus } from "@carillon/model";

/** An emoji as a request names it. */
export interface NamedEmoji {
  /** Empty for none. */
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

export type StatusEmoji = Pick<UserStatus, "emoji_name" | "emoji_code" | "reaction_type">;

/**
 * The emoji that a request asks for: one of Unicode's, since organizations have none of their own yet; with empty
 * fields where it is to be taken away, undefined where the request says nothing of it.
 * @throws ApiError `BAD_REQUEST` for an unknown name, and for a code or a type that are not the name's
 */
export function statusEmoji({ name, code, type }: NamedEmoji): StatusEmoji | undefined {
  if (name === undefined) {
    if (code === undefined && type === undefined) return undefined;
    throw errors.badRequest("emoji_code and reaction_type go with emoji_name: send that as well");
  }
  if (name === "") return { emoji_name: "", emoji_code: "", reaction_type: "" };
  const known = emojiNames.get(name);
  if (known === undefined) throw errors.badRequest(`There is no emoji named ${name}`);
  if (type !== undefined && type !== unicode)
    throw errors.badRequest(`reaction_type of the emoji ${name} is ${unicode}`);
  if (code !== undefined && code !== known)
    throw errors.badRequest(`emoji_code of the emoji ${name} is ${known}`);
  return { emoji_name: name, emoji_code: known, reaction_type: unicode };
}

const unicode = "unicode_emoji";
