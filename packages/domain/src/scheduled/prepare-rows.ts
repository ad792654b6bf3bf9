import { channelsOf, lockAudiencesShared, type OutgoingMessage, type Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { copiesOf } from "../messages/send/copies.ts";
import { makeMessages, type MadeMessages } from "../messages/send/make-messages.ts";
import { numberMessages, type NumberedMessages } from "../messages/send/send.ts";
import { touchesChannel } from "../messages/send/touch-channels.ts";
import { checkDue } from "./check-due.ts";
import { isReminder, type DueRow } from "./due-row.ts";
import { composeDueReminders } from "./compose-due-reminders.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import { findMetConditions, readableRows, type MetCondition } from "./evaluate-conditions.ts";
import { failedBeforeChecks, isTooLate, late } from "./failures.ts";
import type { Failure } from "./outcome.ts";
import { destinationOf } from "./row.ts";
import { composeHandedOver, findHandedOver } from "./series/handed-over.ts";
import { findSuperseded } from "./series/superseded.ts";

/** Maximum rows of `user_messages` in one transaction, unless its first message has more; 20,000 take about 150 ms. */
const maxCopies = 20_000;

/** Maximum characters of HTML in one transaction, unless its first message has more; each is written three times. */
const maxHtml = 2_000_000;

/** Claimed rows that have been checked. Nothing is written yet. */
export interface PreparedRows {
  readonly realm: Realm;
  /** The rows that this transaction can write: all given rows, or the first ones, or none. */
  readonly rows: readonly DueRow[];
  readonly failures: ReadonlyMap<DueRow, Failure>;
  /** Rows that are not sent because a condition holds. */
  readonly withheld: ReadonlyMap<DueRow, MetCondition>;
  /** Rows that will be sent, in order, and their messages. */
  readonly sendable: readonly DueRow[];
  readonly outgoing: readonly OutgoingMessage[];
}

/** Prepared rows whose messages have ids, and whose statements and events may have been made. */
export interface NumberedRows extends PreparedRows {
  readonly messages: NumberedMessages;
  readonly made?: MadeMessages;
}

/**
 * Checks rows in their order and renders the messages that may be sent.
 * @param started topics and conversations that earlier messages start and that are not committed yet
 */
export async function prepareRows(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
  started?: ReadonlySet<string>,
): Promise<PreparedRows> {
  return selectRowsThatFit(realm, rows, await checkRows(options, tx, realm, rows, started));
}

/** The results of the checks of rows. */
interface CheckedRows {
  readonly failures: Map<DueRow, Failure>;
  readonly withheld: Map<DueRow, MetCondition>;
  /** Conditions that hold, also of rows whose sender may not read the messages that the conditions are about. */
  readonly met: ReadonlyMap<DueRow, MetCondition>;
  /** For each of the other rows, its message, or its failure if no message could be composed. */
  readonly composed: ReadonlyMap<DueRow, OutgoingMessage | Failure>;
}

async function checkRows(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
  started: ReadonlySet<string> | undefined,
): Promise<CheckedRows> {
  const failures = new Map<DueRow, Failure>();
  const superseded = await findSuperseded(realm, rows);
  const handedOver = await findHandedOver(tx, realm, rows);
  const isHandedOver = (row: DueRow) => handedOver?.rows.has(row) === true;
  for (const row of rows) {
    const failure =
      failedBeforeChecks(row, { handedOver: isHandedOver(row) }) ??
      (superseded.has(row) ? late(row) : undefined);
    if (failure) failures.set(row, failure);
  }
  const conditional = rows.filter((row) => hasOpenConditions(row, failures.get(row)));
  const met = await findMetConditions(tx, conditional);
  const readable = await readableRows(tx, realm, [...met.keys()]);
  const withheld = new Map([...met].filter(([row]) => readable.has(row)));
  for (const row of withheld.keys()) failures.delete(row);
  // A withheld message is not checked: it must not begin a topic for later rows.
  const candidates = rows.filter((row) => !failures.has(row) && !withheld.has(row));
  const messages = candidates.filter((row) => !isReminder(row) && !isHandedOver(row));
  if (handedOver) await lockAllAudiences(tx, candidates, handedOver.bot.id);
  const [checked, reminders, handed] = await Promise.all([
    checkDue(options, tx, realm, messages, started),
    composeDueReminders(options, tx, realm, candidates.filter(isReminder)),
    handedOver &&
      composeHandedOver(
        tx,
        options.site,
        realm,
        handedOver.bot,
        candidates.filter(isHandedOver),
        options.parser,
      ),
  ]);
  const composed = new Map<DueRow, OutgoingMessage | Failure>([
    ...checked,
    ...reminders,
    ...(handed ?? []),
  ]);
  return { failures, withheld, met, composed };
}

/** Selects as many of the first rows as one transaction can write. */
function selectRowsThatFit(
  realm: Realm,
  rows: readonly DueRow[],
  { failures, withheld, met, composed }: CheckedRows,
): PreparedRows {
  const sendable: DueRow[] = [];
  const outgoing: OutgoingMessage[] = [];
  let copiesLeft = maxCopies;
  let htmlLeft = maxHtml;
  for (const [i, row] of rows.entries()) {
    if (failures.has(row) || withheld.has(row)) continue;
    const ready = composed.get(row);
    if (!ready) throw new Error(`row ${row.id} was not checked`);
    if ("reason" in ready) {
      // Its author was deactivated after the claim. The next batch finds out whether managers keep the series.
      if (ready.cause === "deactivated" && row.series && !row.detached) return rowsBefore(i);
      failures.set(row, ready);
      continue;
    }
    if (row.sentBefore) continue;
    // The channel was not readable when the conditions were evaluated, but the later check has accepted the message.
    const condition = met.get(row);
    if (condition) {
      withheld.set(row, condition);
      continue;
    }
    const copies = copiesOf(ready);
    const { length: html } = ready.rendered.html;
    if ((copies > copiesLeft || html > htmlLeft) && outgoing.length > 0) return rowsBefore(i);
    copiesLeft -= copies;
    htmlLeft -= html;
    sendable.push(row);
    outgoing.push(ready);
  }
  return { realm, rows, failures, withheld, sendable, outgoing };

  /** Keeps the rows before the index: the next batch gets the others. */
  function rowsBefore(index: number): PreparedRows {
    for (const deferred of rows.slice(index)) {
      failures.delete(deferred);
      withheld.delete(deferred);
    }
    return { realm, rows: rows.slice(0, index), failures, withheld, sendable, outgoing };
  }
}

/** Whether the row's conditions are evaluated. They are also evaluated for a late row: if one holds, the row is withheld. */
function hasOpenConditions({ unless, sentBefore }: DueRow, failure: Failure | undefined): boolean {
  return unless !== null && !sentBefore && (failure === undefined || isTooLate(failure));
}

/** Takes the audience locks of all rows at once, in lock order. {@link checkDue} takes only the locks of some rows. */
async function lockAllAudiences(tx: Tx, rows: readonly DueRow[], botId: number): Promise<void> {
  const messages = rows.filter((row) => !isReminder(row));
  await lockAudiencesShared(tx, channelsOf(messages.map(destinationOf)), [
    botId,
    ...messages.map(({ senderId }) => senderId),
  ]);
}

/** Allocates the message ids. The batch after this one allocates its own later, so that ids rise in the order of rows. */
export async function numberRows(tx: Tx, prepared: PreparedRows): Promise<NumberedRows> {
  const { realm, outgoing } = prepared;
  return { ...prepared, messages: await numberMessages(tx, realm, outgoing) };
}

/**
 * Returns whether a message takes a lock on which other messages to the same place wait: direct messages, which may create
 * a conversation, and messages to channels that are inactive or have no message yet.
 */
export function locksDestination({ outgoing }: PreparedRows): boolean {
  return outgoing.some(({ target }) => target.kind === "direct" || touchesChannel(target));
}

/**
 * Makes the rows, copies and events of the messages before the previous batch has committed. Returns undefined if
 * that could block on a lock of the previous batch ({@link locksDestination}).
 */
export async function makeRows(tx: Tx, prepared: PreparedRows): Promise<NumberedRows | undefined> {
  if (locksDestination(prepared)) return undefined;
  const rows = await numberRows(tx, prepared);
  const { numbered, receiving } = rows.messages;
  return receiving ? { ...rows, made: await makeMessages(rows.realm, numbered, receiving) } : rows;
}

/**
 * Returns whether rows can be checked before the previous batch has committed. The messages of that batch change few
 * facts that a check reads. The topics and conversations that they start are passed to the check. Rows whose check
 * reads one of the other facts are not prepared early: the newest message of a topic, a topic's participants, the
 * message of a reminder, the users that guests see, and the replies that conditions are about.
 */
export function canPrepareEarly(realm: Realm, rows: readonly DueRow[]): boolean {
  return (
    !realm.restrictsGuests &&
    rows.every((row) => !isReminder(row) && !readsTopic(row) && row.unless === null)
  );
}

function readsTopic({ content }: DueRow): boolean {
  return content.includes("#**") || content.includes("@**topic**");
}

/**
 * Returns the topics and conversations that the messages start, for the check of the next batch; undefined if the next
 * batch must not be prepared early, because this one also sends reminders, or notices of failures or to managers of series.
 */
export function startedBy({
  realm,
  rows,
  failures,
  outgoing,
}: PreparedRows): ReadonlySet<string> | undefined {
  if (realm.restrictsGuests || failures.size > 0) return undefined;
  if (rows.some((row) => isReminder(row) || !row.senderActive)) return undefined;
  return new Set(outgoing.flatMap(({ begins }) => begins ?? []));
}
