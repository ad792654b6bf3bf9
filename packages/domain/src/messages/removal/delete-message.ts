import { type Account, lockMessageAfter } from "@carillon/model";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { checkMayDelete } from "./deletion-permission.ts";
import { lockPlaces } from "./places.ts";
import { removal } from "./removal.ts";
import { removeMessages } from "./remove-messages.ts";

/**
 * Deletes a message on behalf of who wrote it, or of who may delete others' (messages.md §6.4).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED`
 */
export function deleteMessage(db: Database, account: Account, id: number): Promise<void> {
  return removal(db, (tx, alone) => deleteOne(tx, account, id, alone));
}

async function deleteOne(tx: Tx, account: Account, id: number, alone: boolean): Promise<void> {
  const { realmId } = account;
  const held = await lockMessageAfter(tx, account, id, (channelIds) =>
    lockPlaces(tx, realmId, channelIds, alone),
  );
  const { actor, message, place } = held;
  await checkMayDelete(tx, actor, message);
  const { channelId } = message;
  const run = { realmId, channelId, cause: "message", actorId: actor.id } as const;
  const { events } = await removeMessages(tx, run, place, [id]);
  emit(tx, realmId, events);
}
