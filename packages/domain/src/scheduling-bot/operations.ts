import { ApiError } from "@carillon/contract";
import type { Notice } from "@carillon/markdown";
import { scheduledKind } from "@carillon/scheduling";

import { singleRequest } from "../batches/batch-outcome.ts";
import { scheduleBatch } from "../scheduled/create.ts";
import { createReminder } from "../scheduled/create-reminder.ts";
import { deleteReminder } from "../scheduled/delete-reminder.ts";
import { deleteScheduled } from "../scheduled/delete.ts";
import { editScheduled } from "../scheduled/edit.ts";
import { lockOwnScheduled } from "../scheduled/row.ts";
import { isPlannedOccurrence } from "../scheduled/series/detach.ts";
import { isClarification, type Clarification } from "./clarification.ts";
import type { BotContext } from "./context.ts";
import type { CommandOf } from "./parse-command.ts";
import { listPlanned } from "./planned.ts";
import type { Decisions } from "./question.ts";
import { resolvePlace } from "./resolve-place.ts";
import { isTime, resolveTime } from "./resolve-time.ts";
import {
  cancelledNotice,
  leftOutNotice,
  listNotice,
  movedNotice,
  refusedNotice,
  scheduledNotice,
} from "./texts.ts";

/** Schedules a message: `send WHEN to WHERE: TEXT`. */
export async function sendOnce(
  context: BotContext,
  { when, where, text }: CommandOf<"send">,
  settled: Decisions,
): Promise<Notice | Clarification> {
  const place = await resolvePlace(context, where, settled);
  if (isClarification(place)) return place;
  const time = resolveTime(context, when, settled);
  if (!isTime(time)) return time;
  const { tx, site, actor, client, realm } = context;
  const { type, to, topic, shown } = place;
  const deliverAt = time.instant;
  const input = { type, to, topic, content: text, deliverAt, readBySender: undefined };
  const [outcome] = await scheduleBatch(tx, site, [{ actor, client, input }], singleRequest);
  if (outcome?.kind === "rejected") throw outcome.error;
  if (outcome?.kind !== "committed")
    throw new Error(`a single message has outcome ${outcome?.kind}, not committed`);
  return scheduledNotice({
    id: outcome.result,
    place: shown,
    time,
    zoneSource: time.source,
    text,
    emptyTopicName: realm.emptyTopicDisplayName,
  });
}

/** Sets a reminder of the command's message, with the text as its note: `remind me WHEN: TEXT`. */
export async function remind(
  context: BotContext,
  { when, text }: CommandOf<"remind">,
  settled: Decisions,
  messageId: number,
): Promise<Notice | Clarification> {
  const time = resolveTime(context, when, settled);
  if (!isTime(time)) return time;
  const { tx, site, actor, client, realm } = context;
  const id = await createReminder(tx, site, actor, client, {
    messageId,
    deliverAt: time.instant,
    note: text,
  });
  return scheduledNotice({
    id,
    place: undefined,
    time,
    zoneSource: time.source,
    text,
    emptyTopicName: realm.emptyTopicDisplayName,
  });
}

/** Moves a scheduled message to another time: `move ID to WHEN`. */
export async function move(
  context: BotContext,
  id: number,
  when: string,
  settled: Decisions,
): Promise<Notice | Clarification> {
  const time = resolveTime(context, when, settled);
  if (!isTime(time)) return time;
  const { tx, site, actor, client } = context;
  await editScheduled(tx, site, actor, client, id, {
    type: undefined,
    to: undefined,
    content: undefined,
    topic: undefined,
    deliverAt: time.instant,
  });
  return movedNotice(id, time, time.source);
}

/** Deletes a scheduled message or a reminder, or skips the next message of a series: `cancel ID`. */
export async function cancel(context: BotContext, id: number): Promise<Notice> {
  const { tx, site, actor } = context;
  const row = await lockOwnScheduled(tx, actor.id, scheduledKind.sendLater, id);
  if (row) {
    await deleteScheduled(tx, site, actor, id);
    return isPlannedOccurrence(row)
      ? leftOutNotice(id, row.seriesId!)
      : cancelledNotice("message", String(id));
  }
  if (!(await missingTarget(() => deleteReminder(tx, actor, id))))
    return cancelledNotice("reminder", String(id));
  return refusedNotice(`You have no scheduled message or reminder ${id}`, "list");
}

/** Lists what is planned: `list`. */
export async function list(context: BotContext): Promise<Notice> {
  const { lines, total } = await listPlanned(context);
  return listNotice(lines, total, context.realm.emptyTopicDisplayName);
}

/** Runs an operation. Returns true if it was refused because its target does not exist, which changes nothing. */
async function missingTarget(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.facts.reason === "missingTarget") return true;
    throw error;
  }
}
