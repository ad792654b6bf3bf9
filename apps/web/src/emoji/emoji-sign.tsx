import type { EmojiChoice } from "../store/emoji.ts";
import { emojiCharacters } from "./emoji-characters.ts";
import { useOrganization } from "../store/use-organization.ts";

/** An emoji as a character, or as the picture that the organization has for it. */
export function EmojiSign({
  emoji,
}: {
  readonly emoji: Omit<EmojiChoice, "reaction_type"> & { readonly reaction_type: string };
}) {
  const { emoji: names, site } = useOrganization();
  const { emoji_code, emoji_name, reaction_type } = emoji;
  if (reaction_type === "unicode_emoji")
    return <span class="emoji-sign">{emojiCharacters(emoji_code)}</span>;
  const picture = names.own.get(emoji_code)?.source_url;
  if (picture === undefined) return <span class="emoji-sign">:{emoji_name}:</span>;
  return <img class="emoji-sign" src={site + picture} alt={`:${emoji_name}:`} />;
}
