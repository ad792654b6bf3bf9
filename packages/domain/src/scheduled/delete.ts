import type { Account, Site } from "@carillon/model";
import { errors } from "@carillon/contract";
import { scheduledKind } from "@carillon/scheduling";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { scheduledEvents } from "./scheduled-events.ts";
import { lockOwnScheduled } from "./row.ts";
import { isPlannedOccurrence, recordDeleted, skipPlanned } from "./series/detach.ts";

/**
 * Deletes the account's scheduled message (scheduled-messages.md §4). Waits for a delivery in progress: the message is
 * either deleted or sent. A delivered row may be deleted too: its message stays, and the delivery has already emitted the
 * event. Deleting the planned occurrence of a series skips it.
 * @throws ApiError 404 `BAD_REQUEST` if the account has no scheduled message with this id
 */
export async function deleteScheduled(
  tx: Tx,
  site: Pick<Site, "url">,
  actor: Account,
  id: number,
): Promise<void> {
  const row = await lockOwnScheduled(tx, actor.id, scheduledKind.sendLater, id);
  if (!row) throw errors.notFound404(`You have no scheduled message ${id}`);
  if (isPlannedOccurrence(row) && (await skipPlanned(tx, site, actor.id, row))) return;
  if (!row.delivered) await recordDeleted(tx, row);
  const prisma = await tx.prisma();
  await prisma.scheduledMessage.delete({ where: { id }, select: { id: true } });
  if (!row.delivered) emit(tx, actor.realmId, [scheduledEvents.remove(row)]);
}
