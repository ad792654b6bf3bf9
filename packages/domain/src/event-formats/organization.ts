import {
  type emojiAdded,
  emojiReplaced,
  type emojiUpdated,
  type linkifiersChanged,
} from "@carillon/contract";
import type { Format } from "./delivery.ts";

/** `realm_emoji`: one by one, or all of them. */
export const formatEmojiChange: Format<typeof emojiAdded | typeof emojiUpdated> = (delivery) => {
  const { realm_emoji, ...change } = delivery.fields;
  return delivery.has("individual_emoji_changes")
    ? [delivery.tell(change)]
    : [delivery.tellAs(emojiReplaced, { realm_emoji })];
};

/** `realm_linkifiers`: none for clients that do not know their templates. */
export const formatLinkifiers: Format<typeof linkifiersChanged> = (delivery) => [
  delivery.tell(
    delivery.has("linkifier_url_template") ? delivery.fields : { realm_linkifiers: [] },
  ),
];
