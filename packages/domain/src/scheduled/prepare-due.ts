import type { OutgoingMessage, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { copiesOf } from "../messages/send/copies.ts";
import { makeMessages, type MadeMessages } from "../messages/send/make-messages.ts";
import { numberMessages, type NumberedMessages } from "../messages/send/send.ts";
import { touchesChannel } from "../messages/send/touch-channels.ts";
import { checkDue } from "./check-due.ts";
import { isReminder, type DueRow } from "./claim.ts";
import { composeDue } from "./compose-due.ts";
import type { DeliverOptions } from "./deliver.ts";
import { failedBeforeChecks } from "./failures.ts";
import type { Failure } from "./outcome.ts";

/** Copies that one transaction writes at most, unless its first message has more: 20,000 take about 150 ms. */
const copiesAtOnce = 20_000;

/** Characters of HTML that one transaction writes, unless its first message has more: each is written three times. */
const htmlAtOnce = 2_000_000;

/** Claimed rows that have been looked at: nothing of them is written yet. */
export interface PreparedRows {
  readonly realm: Realm;
  /** As many of those given, from the first on, as go together. */
  readonly rows: readonly DueRow[];
  readonly failures: ReadonlyMap<DueRow, Failure>;
  /** Those that are sent, in order, and what is sent of them. */
  readonly sendable: readonly DueRow[];
  readonly outgoing: readonly OutgoingMessage[];
}

/** The same with ids, and perhaps with all that is written of them. */
export interface NumberedRows extends PreparedRows {
  readonly messages: NumberedMessages;
  readonly made?: MadeMessages;
}

/**
 * Makes what may be sent ready, in the order of the rows, and says why the rest may not.
 * @param begun what messages begin that come before these and are not committed yet
 */
export async function prepareRows(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
  begun?: ReadonlySet<string>,
): Promise<PreparedRows> {
  const failures = new Map<DueRow, Failure>();
  for (const row of rows) {
    const failure = failedBeforeChecks(row, realm);
    if (failure) failures.set(row, failure);
  }
  const candidates = rows.filter((row) => !failures.has(row));
  const messages = candidates.filter((row) => !isReminder(row));
  const [checked, reminders] = await Promise.all([
    checkDue(options, tx, realm, messages, begun),
    composeDue(options, tx, realm, candidates.filter(isReminder)),
  ]);
  const sendable: DueRow[] = [];
  const outgoing: OutgoingMessage[] = [];
  let room = copiesAtOnce;
  let htmlRoom = htmlAtOnce;
  for (const [i, row] of rows.entries()) {
    if (failures.has(row)) continue;
    const ready = checked.get(row) ?? reminders.get(row);
    if (!ready) throw new Error(`nobody has looked at row ${row.id}`);
    if ("reason" in ready) {
      failures.set(row, ready);
      continue;
    }
    if (row.sentBefore) continue;
    const copies = copiesOf(ready);
    const { length: html } = ready.rendered.html;
    if ((copies > room || html > htmlRoom) && outgoing.length > 0) {
      const fitting = rows.slice(0, i);
      for (const later of rows.slice(i)) failures.delete(later);
      return { realm, rows: fitting, failures, sendable, outgoing };
    }
    room -= copies;
    htmlRoom -= html;
    sendable.push(row);
    outgoing.push(ready);
  }
  return { realm, rows, failures, sendable, outgoing };
}

/** Gives out the ids of what is sent: before somebody else gives out those of the rows after these. */
export async function numberRows(tx: Tx, prepared: PreparedRows): Promise<NumberedRows> {
  const { realm, outgoing } = prepared;
  return { ...prepared, messages: await numberMessages(tx, realm, outgoing) };
}

/**
 * Makes all that is written of the rows, before those ahead of them are committed. Left out are rows for which those
 * ahead may hold what these wait for: a new conversation, and a channel that is quiet or has no message yet.
 */
export async function makeRows(tx: Tx, prepared: PreparedRows): Promise<NumberedRows | undefined> {
  if (prepared.outgoing.some(({ target }) => target.kind === "direct" || touchesChannel(target)))
    return undefined;
  const rows = await numberRows(tx, prepared);
  const { numbered, receiving } = rows.messages;
  return receiving ? { ...rows, made: await makeMessages(rows.realm, numbered, receiving) } : rows;
}

/**
 * Whether rows can be prepared before those ahead of them are committed. What the check goes by is not changed by
 * sending, but for what messages begin, which is handed on, and for these: the newest message of a topic, who has written
 * there, what reminders are about, whom guests see.
 */
export function independent(realm: Realm, rows: readonly DueRow[]): boolean {
  return !realm.restrictsGuests && rows.every((row) => !isReminder(row) && !asksOfTopics(row));
}

function asksOfTopics({ content }: DueRow): boolean {
  return content.includes("#**") || content.includes("@**topic**");
}

/**
 * What the rows after these have to know of them to be prepared before these are committed; undefined where they are
 * to wait: notices of failures and reminders are sent besides.
 */
export function begunBy({
  realm,
  rows,
  failures,
  outgoing,
}: PreparedRows): ReadonlySet<string> | undefined {
  if (realm.restrictsGuests || failures.size > 0 || rows.some(isReminder)) return undefined;
  return new Set(outgoing.flatMap(({ begins }) => begins ?? []));
}
