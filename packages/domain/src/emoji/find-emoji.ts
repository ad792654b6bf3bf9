import { errors } from "@carillon/contract";
import { type Sql, statement } from "@carillon/db";
import { emojiNames } from "@carillon/markdown";

/** An emoji as reactions and statuses store it. */
export interface Emoji {
  /** `realm_emoji`, `zulip_extra_emoji` or `unicode_emoji`. */
  readonly type: string;
  /** The id of a custom emoji; the code of any other emoji. */
  readonly code: string;
  readonly name: string;
}

/** An emoji as a request names it. */
export interface AskedEmoji {
  readonly name: string;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

/** The protocol's one extra emoji; its code is its name. */
const extraEmoji = "zulip";

const emojiTypes = ["unicode_emoji", "realm_emoji", "zulip_extra_emoji"];

/** Selects the organization's active custom emoji with a name. */
export const activeEmoji = statement({
  name: "active-emoji",
  text: `SELECT id, author_id AS "authorId" FROM realm_emoji WHERE realm_id = $1 AND name = $2 AND NOT deactivated`,
});

/**
 * Finds the emoji that a request asks for: the organization's active custom emoji, the extra emoji, or a Unicode emoji, in
 * this order, with the code and the type if the request has them (messages.md §6.5).
 * @throws ApiError `BAD_REQUEST` if there is none
 */
export async function findEmoji(sql: Sql, realmId: number, asked: AskedEmoji): Promise<Emoji> {
  if (asked.type !== undefined && !emojiTypes.includes(asked.type))
    throw errors.badRequest(`reaction_type must be one of ${emojiTypes.join(", ")}`);
  const found = await closestEmoji(sql, realmId, asked);
  if (!matches(found, asked))
    throw errors.badRequest(
      `The emoji with the name in emoji_name has the emoji_code ${found.code} and the reaction_type ${found.type}`,
    );
  return found;
}

/**
 * Finds the emoji with the requested name, code and type. If there is none, finds the one that the name stands for in a
 * text.
 * @throws ApiError `BAD_REQUEST` if there is none with the name
 */
export async function closestEmoji(sql: Sql, realmId: number, asked: AskedEmoji): Promise<Emoji> {
  const named = await emojiNamed(sql, realmId, asked.name);
  const found = named.find((emoji) => matches(emoji, asked)) ?? named[0];
  if (!found) throw errors.badRequest("There is no emoji with the name in emoji_name");
  return found;
}

function matches(emoji: Emoji, { code, type }: AskedEmoji): boolean {
  return (code ?? emoji.code) === emoji.code && (type ?? emoji.type) === emoji.type;
}

/** Returns the emoji with the name; the first is the one that a text shows. */
async function emojiNamed(sql: Sql, realmId: number, name: string): Promise<Emoji[]> {
  const custom = await sql.rows(activeEmoji, [realmId, name]);
  const unicode = emojiNames.get(name);
  return [
    ...custom.map(({ id }) => ({ type: "realm_emoji", code: String(id), name })),
    ...(name === extraEmoji ? [{ type: "zulip_extra_emoji", code: extraEmoji, name }] : []),
    ...(unicode === undefined ? [] : [{ type: "unicode_emoji", code: unicode, name }]),
  ];
}

/** Returns whether a name belongs to an emoji that every organization has. */
export function isBuiltInEmoji(name: string): boolean {
  return name === extraEmoji || emojiNames.has(name);
}
