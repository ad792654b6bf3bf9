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

/** A direct conversation, and who is in it. */
interface Conversation {
  readonly members: Members;
  readonly participants: readonly Account[];
}

/**
 * The recipient ids of conversations, by `memberKey`; those that are new are made, and shown to guests who see by them
 * somebody whom they did not see (users.md §2.1).
 */
export async function openConversations(
  tx: Tx,
  realm: Realm,
  conversations: readonly Conversation[],
): Promise<{ readonly ids: ReadonlyMap<string, number>; readonly events: readonly NewEvent[] }> {
  // Whether guests see everybody is asked under the visibility lock: before, a change may be under way.
  const showing = conversations.filter(mayShowSomebody);
  const fresh = await freshAmong(
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

/** What everybody sees, which are bots, no conversation shows: the server's own notices change nothing. */
function mayShowSomebody({ participants }: Conversation): boolean {
  return participants.some(
    (guest) => isGuest(guest) && participants.some(({ id, isBot }) => !isBot && id !== guest.id),
  );
}

/** Those that are not there yet, which nobody else makes until the transaction ends. */
async function freshAmong(
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
