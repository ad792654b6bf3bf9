import {
  type emojiAdded,
  emojiReplaced,
  type emojiUpdated,
  type linkifiersChanged,
} from "@carillon/contract";
import type { Format } from "./outgoing-event.ts";

/** `realm_emoji`: one by one, or all of them. */
export const formatEmojiChange: Format<typeof emojiAdded | typeof emojiUpdated> = (outgoing) => {
  const { realm_emoji, ...change } = outgoing.fields;
  return outgoing.has("individual_emoji_changes")
    ? [outgoing.tell(change)]
    : [outgoing.tellAs(emojiReplaced, { realm_emoji })];
};

/** `realm_linkifiers`: none for clients that do not know their templates. */
export const formatLinkifiers: Format<typeof linkifiersChanged> = (outgoing) => [
  outgoing.tell(
    outgoing.has("linkifier_url_template") ? outgoing.fields : { realm_linkifiers: [] },
  ),
];
