import { ApiError } from "@carillon/contract";
import type { Notice } from "@carillon/markdown";

import { singleRequest } from "../batches/batch-outcome.ts";
import { scheduleBatch } from "../scheduled/create.ts";
import { createReminder } from "../scheduled/create-reminder.ts";
import { deleteReminder } from "../scheduled/delete-reminder.ts";
import { deleteScheduled } from "../scheduled/delete.ts";
import { editScheduled } from "../scheduled/edit.ts";
import { isAsking, type Asking } from "./asking.ts";
import type { BotContext } from "./context.ts";
import type { Command, Reference } from "./parse-command.ts";
import { listPlanned } from "./planned.ts";
import type { Settled } from "./question.ts";
import { readWhen } from "./read-when.ts";
import { resolvePlace } from "./resolve-place.ts";
import {
  cancelledNotice,
  listNotice,
  movedNotice,
  pastNotice,
  questions,
  refusedNotice,
  scheduledNotice,
  type ShownTime,
  timeChoice,
  unclearNotice,
  type ZoneSource,
} from "./texts.ts";

type Of<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** `send WHEN to WHERE: TEXT` */
export async function sendOnce(
  context: BotContext,
  { when, where, text }: Of<"send">,
  settled: Settled,
): Promise<Notice | Asking> {
  const place = await resolvePlace(context, where, settled);
  if (isAsking(place)) return place;
  const time = resolveTime(context, when, settled);
  if (!isTime(time)) return time;
  const { tx, site, actor, client, realm } = context;
  const { type, to, topic, shown } = place;
  const deliverAt = time.instant;
  const input = { type, to, topic, content: text, deliverAt, readBySender: undefined };
  const [outcome] = await scheduleBatch(tx, site, [{ actor, client, input }], singleRequest);
  if (outcome?.kind === "rejected") throw outcome.error;
  if (outcome?.kind !== "committed")
    throw new Error(`a single message came to ${outcome?.kind}, not to an end`);
  return scheduledNotice({
    id: outcome.result,
    place: shown,
    time,
    zoneSource: time.source,
    text,
    emptyTopicName: realm.emptyTopicDisplayName,
  });
}

/** `remind me WHEN: TEXT`: a reminder of the command's message, with the text as its note. */
export async function remind(
  context: BotContext,
  { when, text }: Of<"remind">,
  settled: Settled,
  messageId: number,
): Promise<Notice | Asking> {
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

/** `move ID to WHEN` */
export async function move(
  context: BotContext,
  { reference, when }: Of<"move">,
  settled: Settled,
): Promise<Notice | Asking> {
  if (reference.kind === "series") return unclearNotice("reference");
  const time = resolveTime(context, when, settled);
  if (!isTime(time)) return time;
  const { tx, site, actor, client } = context;
  await editScheduled(tx, site, actor, client, reference.id, {
    type: undefined,
    to: undefined,
    content: undefined,
    topic: undefined,
    deliverAt: time.instant,
  });
  return movedNotice(reference.id, time, time.source);
}

/** `cancel ID` */
export async function cancel(context: BotContext, { kind, id }: Reference): Promise<Notice> {
  const { tx, site, actor } = context;
  if (kind === "series") return unclearNotice("reference");
  const missing = await missingTarget(() => deleteScheduled(tx, site, actor, id));
  if (!missing) return cancelledNotice("message", String(id));
  if (!(await missingTarget(() => deleteReminder(tx, actor, id))))
    return cancelledNotice("reminder", String(id));
  return refusedNotice(`You have no scheduled message or reminder ${id}`, "list");
}

/** `list` */
export async function list(context: BotContext): Promise<Notice> {
  const { lines, total } = await listPlanned(context);
  return listNotice(lines, total, context.realm.emptyTopicDisplayName);
}

/** Tells whether an operation was refused because its target does not exist. Such a refusal has changed nothing. */
async function missingTarget(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.facts.reason === "missingTarget") return true;
    throw error;
  }
}

/** A time, and where its zone comes from. */
interface ResolvedTime extends ShownTime {
  readonly source: ZoneSource;
}

function isTime(result: ResolvedTime | Notice | Asking): result is ResolvedTime {
  return "instant" in result;
}

/** Reads the time of a command, or takes the one that an answer has chosen. */
function resolveTime(
  context: BotContext,
  phrase: string,
  settled: Settled,
): ResolvedTime | Notice | Asking {
  const when = readWhen(phrase, { ...context, now: settled.now });
  if (when.kind === "past") return pastNotice();
  if (when.kind === "unclear") return unclearNotice("when");
  if (when.kind === "timezone")
    return refusedNotice(when.message, "remind me tomorrow 9:00 Europe/Berlin: Call the office");
  const { timezone, readings } = when;
  const isOwn = timezone === context.timezone;
  const source = !isOwn ? "command" : context.hasTimezone ? "account" : "none";
  const time = settled.time ?? (readings.length === 1 ? readings[0] : undefined);
  if (time) return { ...time, timezone, source };
  return {
    kind: "asking",
    question: questions.time(),
    choices: readings.map((reading) => ({
      shown: timeChoice({ ...reading, timezone }),
      settled: { ...settled, time: reading },
    })),
  };
}
