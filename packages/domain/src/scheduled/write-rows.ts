import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Realm } from "@carillon/model";

import { writeChecked } from "../messages/send/send-checked.ts";
import { isReminder } from "./due-row.ts";
import type { DeliverOptions } from "./delivery-options.ts";
import { recordFailures } from "./failure-log.ts";
import { sendFailureNotices } from "./failure-notice.ts";
import { storeOutcomes, storeSent, type Outcome } from "./outcome.ts";
import type { NumberedRows } from "./prepare-rows.ts";
import { scheduledEvents } from "./scheduled-events.ts";
import { reminderEvents } from "./reminder-events.ts";
import { withheldEvent } from "./withheld.ts";
import { advanceSeries, type SentTexts } from "./series/advance-series.ts";

/** Sends the messages that may be sent, and stores the outcomes of all rows. */
export async function writeRows(
  options: DeliverOptions,
  tx: Tx,
  prepared: NumberedRows,
): Promise<Outcome[]> {
  const { realm, rows, failures, withheld, sendable, messages, made } = prepared;
  if (rows.length === 0) return [];
  const messageIds = new Map(sendable.map((row, i) => [row, messages.numbered[i]?.id]));
  const outcomes = rows.map((row): Outcome => {
    const failure = failures.get(row);
    if (failure) return failure;
    const met = withheld.get(row);
    if (met) return { row, kind: "withheld", ...met };
    const messageId = messageIds.get(row);
    return messageId === undefined
      ? { row, kind: "sent-before" }
      : { row, kind: "sent", messageId };
  });
  const [{ events }] = await Promise.all([
    writeChecked(tx, realm, messages, made),
    storeSent(tx, outcomes),
  ]);
  return settle(options, tx, realm, outcomes, events, prepared);
}

const nothingSent: SentTexts = { sendable: [], outgoing: [] };

/**
 * Writes the outcomes, plans the next occurrences of series, notifies senders of failures and emits the events of the
 * transaction.
 */
export async function settle(
  options: DeliverOptions,
  tx: Tx,
  realm: Realm,
  ended: readonly Outcome[],
  sendingEvents: readonly NewEvent[],
  texts = nothingSent,
): Promise<Outcome[]> {
  const { log, backend = "unknown" } = options;
  const {
    outcomes,
    notes,
    events: planned,
  } = await advanceSeries(options, tx, realm, ended, texts);
  storeOutcomes(tx, outcomes, backend);
  const failures = outcomes.filter((outcome) => outcome.kind === "failed");
  const reported = failures.filter(({ silent }) => !silent);
  const notices = await sendFailureNotices(tx, log, realm, reported, notes);
  recordFailures(tx, realm.id, failures, notices.ids);
  const events = outcomes.flatMap((outcome) => {
    const { row } = outcome;
    if (outcome.kind === "withheld")
      return [scheduledEvents.remove(row), withheldEvent(outcome, realm.now)];
    if (outcome.kind !== "failed")
      return [isReminder(row) ? reminderEvents.remove(row) : scheduledEvents.remove(row)];
    return outcome.silent ? [] : [scheduledEvents.update({ ...row, failed: true })];
  });
  emit(tx, realm.id, [...sendingEvents, ...events, ...planned, ...notices.events]);
  return [...outcomes];
}
