import {
  type Account,
  type Members,
  type Realm,
  lockUserVisibility,
  ensureDirectRecipients,
  findDirectRecipients,
  memberKey,
} from "@carillon/model";
import { type NewEvent, isGuest } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { visibilityByConversations } from "./visibility-events.ts";

/** A direct conversation and its participants. */
interface Conversation {
  readonly members: Members;
  readonly participants: readonly Account[];
}

/**
 * Returns the recipient ids of conversations by `memberKey`. Creates new conversations, and makes the events for guests
 * who see an account for the first time through them (users.md §2.1).
 */
export async function openConversations(
  tx: Tx,
  realm: Realm,
  conversations: readonly Conversation[],
): Promise<{ readonly ids: ReadonlyMap<string, number>; readonly events: readonly NewEvent[] }> {
  // Takes the visibility lock before it reads the setting that restricts guests: a change of the setting may be in
  // progress.
  const showing = conversations.filter(canMakeVisible);
  const fresh = await listNewConversations(
    tx,
    realm.id,
    showing.map(({ members }) => members),
  );
  const ids = await ensureDirectRecipients(
    tx,
    realm.id,
    conversations.map(({ members }) => members),
  );
  const made = [...new Set(fresh.flatMap((members) => ids.get(memberKey(members)) ?? []))];
  return { ids, events: await visibilityByConversations(tx, realm.id, made) };
}

/**
 * Whether a conversation can make an account visible to a guest. Bots are always visible, so the server's own notices
 * change nothing.
 */
function canMakeVisible({ participants }: Conversation): boolean {
  return participants.some(
    (guest) => isGuest(guest) && participants.some(({ id, isBot }) => !isBot && id !== guest.id),
  );
}

/** Returns the conversations that do not exist; no other transaction creates them until this one ends. */
async function listNewConversations(
  tx: Tx,
  realmId: number,
  conversations: readonly Members[],
): Promise<Members[]> {
  if (conversations.length === 0) return [];
  const missing = async () => {
    const known = await findDirectRecipients(tx, realmId, conversations);
    return conversations.filter((members) => !known.has(memberKey(members)));
  };
  if ((await missing()).length === 0) return [];
  await lockUserVisibility(tx, realmId);
  return missing();
}
