import type { Account } from "@carillon/model";
import { errors } from "@carillon/contract";
import { scheduledKind } from "@carillon/scheduling";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { reminderEvents } from "./reminder-events.ts";
import { lockOwnScheduled } from "./row.ts";

/**
 * Deletes the account's reminder (scheduled-messages.md §8), as `deleteScheduled` does: waits for a delivery in progress,
 * and emits no event for a reminder that was sent.
 * @throws ApiError 404 `BAD_REQUEST` if the account has no reminder with this id
 */
export async function deleteReminder(tx: Tx, actor: Account, id: number): Promise<void> {
  const row = await lockOwnScheduled(tx, actor.id, scheduledKind.reminder, id);
  if (!row) throw errors.notFound404(`You have no reminder ${id}`);
  const prisma = await tx.prisma();
  await prisma.scheduledMessage.delete({ where: { id }, select: { id: true } });
  if (!row.delivered) emit(tx, actor.realmId, [reminderEvents.remove(row)]);
}
