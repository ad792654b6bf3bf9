import { errors } from "@carillon/contract";
import { emojiNames } from "@carillon/markdown";

/** An emoji, as reactions have it. */
export interface Emoji {
  readonly type: string;
  readonly code: string;
  readonly name: string;
}

/** The emoji of clients' own that the protocol knows by its name; its code is the name. */
const extraEmoji = "zulip";

/**
 * What the name stands for by now: first the extra emoji, then Unicode's. Organizations have none of their own yet.
 * @throws ApiError `BAD_REQUEST`
 */
export function emojiNamed(name: string): Emoji {
  if (name === extraEmoji) return { type: "zulip_extra_emoji", code: extraEmoji, name };
  const code = emojiNames.get(name);
  if (code === undefined) throw errors.badRequest("There is no emoji with the name in emoji_name");
  return { type: "unicode_emoji", code, name };
}

/**
 * Whether there is such an emoji, and it has that name.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkEmoji({ type, code, name }: Emoji): void {
  if (type === "realm_emoji")
    throw errors.badRequest("The organization has no emoji with the code in emoji_code");
  if (type !== "unicode_emoji" && type !== "zulip_extra_emoji")
    throw errors.badRequest(
      "reaction_type must be unicode_emoji, realm_emoji or zulip_extra_emoji",
    );
  const known = emojiNamed(name);
  if (known.type !== type || known.code !== code)
    throw errors.badRequest(
      `The emoji with the name in emoji_name has the emoji_code ${known.code} and the reaction_type ${known.type}`,
    );
}
