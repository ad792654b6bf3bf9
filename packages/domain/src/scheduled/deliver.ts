import { type OutgoingMessage, type Realm, type Site, loadRealm } from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import { isPassing, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Logger } from "@carillon/kit";

import { sendChecked } from "../messages/send/send-checked.ts";
import { checkDue } from "./check-due.ts";
import { becomeDeliverer, claimDue, isReminder, type DueRow } from "./claim.ts";
import { composeDue } from "./compose-due.ts";
import { broken, failedBeforeChecks } from "./failures.ts";
import { recordFailures } from "./failure-log.ts";
import { sendFailureNotices } from "./failure-notice.ts";
import { storeOutcomes, type Failure, type Outcome } from "./outcome.ts";
import { scheduledEvents } from "./record.ts";
import { reminderEvents } from "./reminder-record.ts";

/** Rows that one transaction delivers at most: the batch is what makes delivery fast. */
export const deliveryBatch = 200;

export interface DeliverOptions {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Where the queues are, for the history; unknown unless given. */
  readonly backend?: string;
  readonly batch?: number;
  /** Once it has fired, what fails says nothing about the rows. */
  readonly signal?: AbortSignal;
}

/**
 * Delivers one batch of an organization's due messages (scheduled-messages.md §5). Everything of it commits together
 * or not at all, so that a crash leaves nothing or everything: each message is sent exactly once. A refusal fails its
 * row alone. An unexpected error rolls the batch back, and its rows go one by one.
 * @returns the rows' outcomes; undefined when another transaction is delivering here: it will look again
 * @throws what a lost connection, a deadlock or a lock timeout throws: the rows are still pending then
 */
export async function deliverBatch(
  options: DeliverOptions,
  realmId: number,
): Promise<Outcome[] | undefined> {
  const { db, log, batch = deliveryBatch, signal } = options;
  let claimed: readonly DueRow[] = [];
  try {
    return await db.transaction(
      async (tx) => {
        const [isDeliverer, realm] = await Promise.all([
          becomeDeliverer(tx, realmId),
          loadRealm(tx, realmId),
        ]);
        if (!isDeliverer) return undefined;
        claimed = together(await claimDue(tx, realmId, batch));
        return deliverRows(options, tx, realm, claimed);
      },
      { attempts: 1 },
    );
  } catch (error) {
    if (signal?.aborted || isPassing(error) || claimed.length === 0) throw error;
    log.error(
      { err: error, realmId, rows: claimed.length },
      "a batch of due messages failed; its rows go one by one",
    );
    return deliverSingly(options, realmId, claimed.length);
  }
}

/**
 * The rows at the beginning that can be sent in one go. A message to a topic's participants depends on who has sent
 * there before: it goes alone, after the others.
 */
function together(rows: readonly DueRow[]): readonly DueRow[] {
  const apart = rows.findIndex(asksForParticipants);
  return apart < 0 ? rows : rows.slice(0, Math.max(apart, 1));
}

function asksForParticipants(row: DueRow): boolean {
  return !isReminder(row) && row.content.includes("@**topic**");
}

/** Delivers up to `count` rows, each in a transaction of its own; one that throws is failed there. */
async function deliverSingly(
  options: DeliverOptions,
  realmId: number,
  count: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < count; i++) {
    const delivered = await options.db.transaction(async (tx) => {
      if (!(await becomeDeliverer(tx, realmId))) return [];
      const realm = await loadRealm(tx, realmId);
      const rows = await claimDue(tx, realmId, 1);
      try {
        return await tx.savepoint(() => deliverRows(options, tx, realm, rows));
      } catch (error) {
        if (options.signal?.aborted || isPassing(error)) throw error;
        options.log.error(
          { err: error, realmId, scheduledMessageId: rows[0]?.id },
          "a due message could not be sent",
        );
        return settle(options, tx, realm, rows.map(broken), []);
      }
    });
    if (delivered.length === 0) break;
    outcomes.push(...delivered);
  }
  return outcomes;
}

/** Sends what may be sent, in the order of the rows, and fails the rest. */
async function deliverRows(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
): Promise<Outcome[]> {
  if (rows.length === 0) return [];
  const failures = new Map<DueRow, Failure>();
  for (const row of rows) {
    const failure = failedBeforeChecks(row, realm);
    if (failure) failures.set(row, failure);
  }
  const candidates = rows.filter((row) => !failures.has(row));
  const messages = candidates.filter((row) => !isReminder(row));
  const [checked, reminders] = await Promise.all([
    checkDue(options, tx, realm, messages),
    composeDue(options, tx, realm, candidates.filter(isReminder)),
  ]);
  const sendable: DueRow[] = [];
  const outgoing: OutgoingMessage[] = [];
  for (const row of candidates) {
    const ready = checked.get(row) ?? reminders.get(row);
    if (!ready) throw new Error(`nobody has looked at row ${row.id}`);
    if ("reason" in ready) {
      failures.set(row, ready);
      continue;
    }
    sendable.push(row);
    outgoing.push(ready);
  }
  const { sent, events } = await sendChecked(tx, realm, outgoing);
  const messageIds = new Map(sendable.map((row, i) => [row, sent[i]?.id]));
  const outcomes = rows.map((row): Outcome => {
    const failure = failures.get(row);
    if (failure) return failure;
    const messageId = messageIds.get(row);
    return messageId === undefined
      ? { row, kind: "sent-before" }
      : { row, kind: "sent", messageId };
  });
  return settle(options, tx, realm, outcomes, events);
}

/** Writes the outcomes and tells everybody: the one `emit` of the transaction. */
async function settle(
  { log, backend = "unknown" }: DeliverOptions,
  tx: Tx,
  realm: Realm,
  outcomes: readonly Outcome[],
  sendingEvents: readonly NewEvent[],
): Promise<Outcome[]> {
  storeOutcomes(tx, outcomes, backend);
  const failures = outcomes.filter((outcome) => outcome.kind === "failed");
  const loud = failures.filter(({ silent }) => !silent);
  const notices = await sendFailureNotices(tx, log, realm, loud);
  recordFailures(tx, realm.id, failures, notices.ids);
  const events = outcomes.flatMap((outcome) => {
    const { row } = outcome;
    if (outcome.kind !== "failed")
      return [isReminder(row) ? reminderEvents.remove(row) : scheduledEvents.remove(row)];
    return outcome.silent ? [] : [scheduledEvents.update({ ...row, failed: true })];
  });
  emit(tx, realm.id, [...sendingEvents, ...events, ...notices.events]);
  return [...outcomes];
}
