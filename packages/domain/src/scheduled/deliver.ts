import {
  type Draft,
  type OutgoingMessage,
  type Realm,
  type Site,
  channelsOf,
  holdAudiences,
  loadClientNames,
  loadRealm,
} from "@carillon/model";
import { type NewEvent, ApiError } from "@carillon/contract";
import { isPassing, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Logger } from "@carillon/kit";

import { checkMessages } from "../messages/send/check.ts";
import { sendChecked } from "../messages/send/send-checked.ts";
import { becomeDeliverer, claimDue, type DueRow } from "./claim.ts";
import { sendFailureNotices, type Failure } from "./failure-notice.ts";
import { storeOutcomes, type Outcome } from "./outcome.ts";
import { scheduledEvents } from "./record.ts";
import { destinationOf } from "./row.ts";

/** Rows that one transaction delivers at most: the batch is what makes delivery fast. */
export const deliveryBatch = 200;

export interface DeliverOptions {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
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

function asksForParticipants({ content }: DueRow): boolean {
  return content.includes("@**topic**");
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
        return settle(options, tx, realm, rows.map(brokenRow), []);
      }
    });
    if (delivered.length === 0) break;
    outcomes.push(...delivered);
  }
  return outcomes;
}

function brokenRow(row: DueRow): Outcome {
  return {
    row,
    kind: "failed",
    reason: "Something went wrong on the server.",
    silent: row.bySystemBot,
  };
}

/** Sends what may be sent, fails the rest. */
async function deliverRows(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
): Promise<Outcome[]> {
  if (rows.length === 0) return [];
  const failures = new Map<DueRow, Outcome>();
  for (const row of rows) {
    const failure = failedBeforeChecks(row, realm);
    if (failure) failures.set(row, failure);
  }
  const candidates = rows.filter((row) => !failures.has(row));
  const drafts = candidates.map(draftOf);
  const [, { results }] = await Promise.all([
    holdAudiences(tx, channelsOf(drafts.map(({ destination }) => destination))),
    checkMessages(tx, options.site, realm.id, drafts),
  ]);
  const clientNames = await loadClientNames(
    tx,
    options.db.pool,
    candidates.map(({ clientId }) => clientId),
  );
  const sendable: DueRow[] = [];
  const outgoing: OutgoingMessage[] = [];
  for (const [i, row] of candidates.entries()) {
    const result = results[i]!;
    if (result instanceof ApiError) {
      failures.set(row, refused(row, result));
      continue;
    }
    sendable.push(row);
    outgoing.push({
      ...result,
      clientId: row.clientId,
      clientName: clientNames.get(row.clientId) ?? "",
      readBySender: row.readBySender,
      scheduledMessageId: row.id,
    });
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

function refused(row: DueRow, refusal: ApiError): Outcome {
  if (refusal.code === "UNAUTHORIZED") return deactivated(row);
  return { row, kind: "failed", reason: sentence(refusal.message), silent: row.bySystemBot };
}

function deactivated(row: DueRow): Outcome {
  return { row, kind: "failed", reason: "The sender's account was deactivated.", silent: true };
}

/** Inactive senders' messages fail silently, late ones with a notice; undefined for those that may be checked. */
function failedBeforeChecks(row: DueRow, realm: Realm): Outcome | undefined {
  if (row.senderActive && !realm.deactivated && !row.tooLate) return undefined;
  if (!row.senderActive) return deactivated(row);
  if (realm.deactivated)
    return { row, kind: "failed", reason: "The organization was deactivated.", silent: true };
  return {
    row,
    kind: "failed",
    reason: "The server was more than ten minutes late.",
    silent: row.bySystemBot,
  };
}

function draftOf(row: DueRow): Draft {
  return {
    senderId: row.senderId,
    destination: destinationOf(row),
    topic: row.topic,
    content: row.content,
  };
}

/** Writes the outcomes and tells everybody: the one `emit` of the transaction. */
async function settle(
  { log }: DeliverOptions,
  tx: Tx,
  realm: Realm,
  outcomes: readonly Outcome[],
  sendingEvents: readonly NewEvent[],
): Promise<Outcome[]> {
  storeOutcomes(tx, outcomes);
  const loud = outcomes.filter(
    (outcome): outcome is Failure => outcome.kind === "failed" && !outcome.silent,
  );
  const notices = await sendFailureNotices(tx, log, realm, loud);
  const events = outcomes.flatMap((outcome) => {
    if (outcome.kind !== "failed") return [scheduledEvents.remove(outcome.row)];
    return outcome.silent ? [] : [scheduledEvents.update({ ...outcome.row, failed: true })];
  });
  emit(tx, realm.id, [...sendingEvents, ...events, ...notices]);
  return [...outcomes];
}

/** A refusal's text as a sentence. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
