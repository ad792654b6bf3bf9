import { type Realm, loadAccounts } from "@carillon/model";
import { isTransient, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import type { Logger } from "@carillon/kit";
import {
  moment,
  type Notice,
  notice,
  type NoticePart,
  paragraph,
  quoted,
  verbatim,
} from "@carillon/markdown";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";
import type { DueRow } from "./due-row.ts";
import type { Failure } from "./outcome.ts";
import type { SeriesNote } from "./series/advance-series.ts";

/** The notices to the senders of failed messages. */
export interface FailureNotices {
  /** Ids of the notices, by the ids of the scheduled messages. */
  readonly ids: ReadonlyMap<number, number>;
  /** For the transaction's one `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * Notifies each sender, in a direct message from the notification bot, which message was not sent and why. Sends the
 * notices as one batch; if that throws, one by one, and logs the notices that cannot be sent.
 * @param notes what to say of the series of failed occurrences
 * @throws what a lost connection, a deadlock or a lock timeout throws
 */
export async function sendFailureNotices(
  tx: Tx,
  log: Logger,
  realm: Realm,
  failures: readonly Failure[],
  notes: ReadonlyMap<DueRow, SeriesNote>,
): Promise<FailureNotices> {
  if (failures.length === 0) return none;
  try {
    return await tx.savepoint(() => send(tx, realm, failures, notes));
  } catch (error) {
    if (isTransient(error)) throw error;
    if (failures.length === 1) {
      log.error(
        { err: error, realmId: realm.id, scheduledMessageId: failures[0]?.row.id },
        "notice of a failed scheduled message could not be sent",
      );
      return none;
    }
  }
  const ids = new Map<number, number>();
  const events: NewEvent[] = [];
  for (const failure of failures) {
    const sent = await sendFailureNotices(tx, log, realm, [failure], notes);
    for (const [id, noticeId] of sent.ids) ids.set(id, noticeId);
    events.push(...sent.events);
  }
  return { ids, events };
}

const none: FailureNotices = { ids: new Map(), events: [] };

async function send(
  tx: Tx,
  realm: Realm,
  failures: readonly Failure[],
  notes: ReadonlyMap<DueRow, SeriesNote>,
): Promise<FailureNotices> {
  const bot = await systemBot(tx, realm.id, "notification");
  const senders = await loadAccounts(
    tx,
    realm.id,
    failures.map(({ row }) => row.senderId),
  );
  const notices = [];
  const rowIds: number[] = [];
  for (const failure of failures) {
    const { row } = failure;
    const sender = senders.get(row.senderId);
    if (!sender) continue;
    const text = textOf(failure, notes.get(row));
    const target = directTo(bot, sender);
    notices.push(await composeNotice(tx, { bot, target, notice: text }));
    rowIds.push(row.id);
  }
  const { sent, events } = await sendMessages(tx, realm, notices);
  return {
    ids: new Map(sent.flatMap((message, i) => (message ? [[rowIds[i]!, message.id]] : []))),
    events,
  };
}

function textOf({ row, reason }: Failure, note: SeriesNote | undefined): Notice {
  const kept = paragraph`It stays in your scheduled messages: give it a new time, or delete it.`;
  if (!note)
    return notice(
      paragraph`The message that you scheduled for ${moment(row.deliverAt)} could not be sent. ${quoted(reason)}`,
      kept,
    );
  return notice(
    paragraph`The message of your series ${verbatim(String(row.seriesId))} for ${moment(row.deliverAt)} could not be sent. ${quoted(reason)}`,
    kept,
    followingOf(note),
  );
}

function followingOf({ paused, next }: SeriesNote): NoticePart {
  if (paused)
    return paragraph`The series is paused, because five occurrences in a row could not be sent: resume it once the cause is gone.`;
  return next
    ? paragraph`The next occurrence of the series is sent at ${moment(next.instant)}.`
    : paragraph`The series has no further occurrence.`;
}
