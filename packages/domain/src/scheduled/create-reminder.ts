import {
  type Account,
  type SendingClient,
  type Site,
  ensureDirectRecipients,
  loadRealm,
  memberKey,
  membersOf,
  noSuchMessage,
  loadVisibleMessages,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { scheduledKind } from "@carillon/scheduling";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";

import { composeReminders } from "../reminders.ts";
import { checkDueTime } from "./due-time.ts";
import { insertScheduled } from "./insert.ts";
import { checkPendingBound, countPending } from "./pending-bound.ts";
import { reminderEvents } from "./reminder-events.ts";

/** Code points of a note (`max_reminder_note_length`). */
const maxNoteLength = 500;

export interface ReminderInput {
  readonly messageId: number;
  /** UNIX seconds */
  readonly deliverAt: number;
  readonly note: string | undefined;
  /** Id of the request in the log, for looking the reminder up. */
  readonly requestId?: string;
}

/**
 * Creates a reminder of a message (scheduled-messages.md §8): a scheduled row with the reminder's current text, which is
 * sent if the account no longer sees the message at the due time. Emits the event to the account.
 * @returns the id of the reminder
 * @throws ApiError `BAD_REQUEST`; nothing is stored then
 */
export async function createReminder(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  input: ReminderInput,
): Promise<number> {
  const note = checkedNote(input.note);
  const [realm, [message], pending] = await Promise.all([
    loadRealm(tx, actor.realmId),
    loadVisibleMessages(tx, actor.realmId, [{ accountId: actor.id, messageId: input.messageId }]),
    countPending(tx, [actor.id]),
  ]);
  checkDueTime(input.deliverAt, realm);
  if (!message) throw noSuchMessage();
  const self = membersOf(actor.id, []);
  const [[text], recipients] = await Promise.all([
    composeReminders(tx, site, realm, [{ account: actor, message, note }]),
    ensureDirectRecipients(tx, realm.id, [self]),
    checkPendingBound(tx, actor.id, pending.get(actor.id) ?? 0),
  ]);
  const [row] = await insertScheduled(tx, realm.id, [
    {
      kind: scheduledKind.reminder,
      senderId: actor.id,
      recipientId: recipients.get(memberKey(self))!,
      channelId: null,
      memberIds: [...self],
      topic: "",
      content: text!.content,
      renderedContent: text!.html,
      clientId: client.id,
      deliverAt: input.deliverAt,
      readBySender: false,
      hasAttachment: text!.hasAttachment,
      requestId: input.requestId,
      targetId: message.id,
      note,
      unless: null,
    },
  ]);
  emit(tx, realm.id, [reminderEvents.add(row!)]);
  return row!.id;
}

/** Trims the note; null if it is empty. */
function checkedNote(raw = ""): string | null {
  const note = raw.trim();
  if (isLongerThan(note, maxNoteLength))
    throw errors.badRequest(`note must not have more than ${maxNoteLength} characters`);
  return note === "" ? null : note;
}
