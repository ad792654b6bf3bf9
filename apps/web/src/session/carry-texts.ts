import { allMessages, hashOf } from "../route.ts";
import { storage } from "../storage.ts";
import { routeOf } from "../store/conversation.ts";
import { conversationNamed, type ConversationNames } from "../store/conversation-names.ts";
import { type KeptText, readKeptText } from "../store/kept-text.ts";
import type { Organization } from "../store/organization.ts";
import type { Unsent } from "../store/outbox.ts";
import { texts } from "../texts.ts";

/**
 * Stores the unsent texts of an account under its new id, after its organization has moved. Unsent messages become failed
 * ones, which the person sends again or discards: the old installation may have sent them although its answers were lost.
 * Texts whose conversation is not found go to the compose box of the view of all messages.
 * @param organization with the data of the new installation
 */
export function carryTexts(organization: Organization, newId: number): void {
  const { site, me } = organization;
  const placeOf = (to: ConversationNames | undefined) => to && conversationNamed(to, organization);
  const boxOf = (hash: string) => `compose:${site}:${newId}:${hash}`;
  const feed = boxOf(hashOf(allMessages));
  const withoutPlace: string[] = [];
  for (const key of storage.keys(`outbox:${site}:${me}:`)) {
    const item = storage.read<Unsent>(key);
    storage.remove(key);
    const conversation = placeOf(item?.names);
    if (item && conversation) {
      const { reason = texts.compose.moved } = item;
      const failed: Unsent = { ...item, conversation, state: "failed", reason };
      storage.write(`outbox:${site}:${newId}:${item.key}`, failed);
    } else if (item) withoutPlace.push(item.content);
  }
  for (const key of storage.keys(`compose:${site}:${me}:`)) {
    const kept = readKeptText(key);
    storage.remove(key);
    const conversation = placeOf(kept?.names);
    // The compose box of a channel without a topic belongs to no conversation.
    const isPlace = conversation && ("others" in conversation || conversation.topic !== "");
    const box = isPlace ? boxOf(hashOf(routeOf(conversation, newId))) : feed;
    // Another view may have had a text for the same conversation.
    if (kept && isPlace && !readKeptText(box)) storage.write(box, kept);
    else if (kept) withoutPlace.push(kept.content);
  }
  if (withoutPlace.length === 0) return;
  const content = [readKeptText(feed)?.content ?? [], withoutPlace].flat().join("\n\n");
  storage.write(feed, { content } satisfies KeptText);
}
