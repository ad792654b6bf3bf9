import { cutTo } from "@carillon/kit";
import {
  bulletList,
  emphasised,
  inlineCode,
  joined,
  type Notice,
  notice,
  type NoticePart,
  numberedList,
  paragraph,
  plainWords,
  quoted,
  verbatim,
} from "@carillon/markdown";

import type { Command, Unclear } from "./parse-command.ts";
import {
  shownDate,
  shownEnd,
  shownPlace,
  type ShownPlace,
  shownText,
  shownTime,
  type ShownTime,
  seriesNumber,
} from "./shown-values.ts";

/** Where a time zone comes from: the account, the command, or neither. Without one the bot uses UTC. */
export type ZoneSource = "account" | "command" | "none";

const sendExample = "send tomorrow 9:00 to #general > standup: What do you plan today?";
const everyExample = "every weekday at 9:00 to #general > standup: What do you plan today?";

const examples: Readonly<Partial<Record<Command["kind"], string>>> = {
  remind: "remind me tomorrow 9:00: Call the office",
  every: everyExample,
  move: "move 12 to friday 5pm",
  cancel: "list",
  skip: "list",
  pause: "list",
  resume: "list",
  sendNow: "list",
};

/** Returns a correct command to show in a refusal. For commands with a number it is `list`, which shows the numbers. */
export function exampleOf(kind: Command["kind"]): string {
  return examples[kind] ?? sendExample;
}

const reasons: Readonly<Record<Unclear, readonly [sentence: string, example: string]>> = {
  command: ["I do not know this command.", sendExample],
  to: [
    "The place of the message is missing: write “to” and a channel, a person or me before the text.",
    sendExample,
  ],
  colon: ["The colon before the text is missing, or the space after it.", sendExample],
  where: [
    "I cannot read where the message goes.",
    "send tomorrow 9:00 to @**Full Name**: Happy birthday!",
  ],
  text: ["There is no text after the colon.", sendExample],
  when: ["I cannot read the time.", "remind me tomorrow 9:00: Call the office"],
  rule: ["I cannot read how often, or at what time.", everyExample],
  reference: [
    "The number of a message, such as 12, or of a series, such as s5, is missing; list shows them.",
    "cancel 12",
  ],
  series: [
    "The number of a series, such as s5, is missing; list shows them. Only a series can do this.",
    "skip s5",
  ],
};

/** Says which part of a command is missing or cannot be read, with an example. */
export function unclearNotice(unclear: Unclear): Notice {
  const [sentence, example] = reasons[unclear];
  return notice(
    paragraph`${plainWords(sentence)} For example:`,
    paragraph`${inlineCode(example)}`,
    paragraph`Write ${inlineCode("help")} to see all commands.`,
  );
}

const commands: ReadonlyArray<readonly [command: string, about: string]> = [
  [sendExample, "sends once"],
  ["remind me in 20 minutes: Call the office", "reminds you"],
  [everyExample, "sends again and again: a series"],
  ["list", "shows what is planned, with numbers: 12 is a message or reminder, s5 a series"],
  ["move 12 to friday 5pm", "changes its time; move s5 to … moves the next message of a series"],
  ["cancel 12", "removes it; cancel s5 removes the whole series"],
  ["skip s5", "leaves out the next message of a series"],
  ["pause s5", "stops a series until resume s5"],
  ["send s5 now", "sends its message once more, now"],
];

/** Lists the commands. */
export function helpNotice(): Notice {
  const lines = commands.map(([command, about]) =>
    joined([inlineCode(command), plainWords(about)], " — "),
  );
  return notice(
    paragraph`I send messages later, for you:`,
    bulletList(lines),
    paragraph`After “to” comes ${inlineCode("#channel > topic")}, ${inlineCode("@**Full Name**")}, an e-mail address or ${inlineCode("me")}, several people with commas. A time zone such as ${inlineCode("Europe/Berlin")} may follow a time.`,
    paragraph`After “every” comes ${inlineCode("day")}, ${inlineCode("weekday")}, ${inlineCode("monday, friday")}, ${inlineCode("2 weeks on tuesday")}, ${inlineCode("month on the 1st")}, ${inlineCode("month on the last friday")} or ${inlineCode("year on december 3")}, then “at” and a time, and, if you like, ${inlineCode("until december 31")} or ${inlineCode("10 times")}.`,
  );
}

/** Says that the bot ignores commands in scheduled messages. */
export function ignoredCommandNotice(): Notice {
  return notice(
    paragraph`This message was scheduled, so I did nothing: I take commands only from messages that you send by hand.`,
  );
}

/** Shows the refusal of a command. @param example a correct command */
export function refusedNotice(reason: string, example: string): Notice {
  return notice(
    paragraph`Nothing was changed: ${quoted(reason)}.`,
    paragraph`For example: ${inlineCode(example)}`,
  );
}

/** Says that a time has passed. */
export function pastNotice(): Notice {
  return refusedNotice("This time has passed", sendExample);
}

/** Says that a series would end before its first message. */
export function noTimesNotice(): Notice {
  return refusedNotice("The series would end before its first message", everyExample);
}

/** Says why a time zone is refused. */
export function unknownZoneNotice(reason: string): Notice {
  return refusedNotice(reason, "remind me tomorrow 9:00 Europe/Berlin: Call the office");
}

/** Says that there is no open question for a number. */
export function noQuestionNotice(): Notice {
  return notice(
    paragraph`There is no question to answer: a question stays open for 10 minutes, or until your next message. Please write the command again.`,
  );
}

/** Asks a question. @param choices what each number stands for, beginning with 1 */
export function questionNotice(question: NoticePart, choices: readonly NoticePart[]): Notice {
  return notice(
    paragraph`${question}`,
    numberedList(choices),
    paragraph`Answer with the number, within 10 minutes.`,
  );
}

export const questions = {
  time: () => plainWords("Which time do you mean?"),
  first: () => plainWords("Which one do you mean? The first message comes on:"),
  move: () => plainWords("Only the next message of the series, or all of them?"),
  person: (name: string) =>
    joined([plainWords("Which"), verbatim(name), plainWords("do you mean?")], " "),
  topic: () => plainWords("This channel asks for a topic. Which one?"),
};

/** A time to choose. */
export function timeChoice(time: ShownTime): NoticePart {
  return shownTime(time);
}

/** A first time of a series to choose. */
export function firstTimeChoice(first: ShownTime, rrule: string): NoticePart {
  return joined([shownTime(first), ...shownEnd(rrule)], ", ");
}

/** A time for only the next message of a series, to choose. */
export function nextTimeChoice(time: ShownTime): NoticePart {
  return joined([plainWords("Only the next one: on"), shownTime(time)], " ");
}

/** A time of day for all messages of a series, to choose. */
export function everyTimeChoice(first: ShownTime): NoticePart {
  return joined([plainWords("All of them: the next one on"), shownTime(first)], " ");
}

/** A person to choose, among others of the same name. */
export function personChoice(person: { id: number; fullName: string; email: string }): NoticePart {
  return joined(
    [emphasised(person.fullName), inlineCode(person.email), plainWords(`(ID ${person.id})`)],
    " ",
  );
}

/** A topic to choose. */
export function topicChoice(topic: string): NoticePart {
  return verbatim(topic);
}

/** Confirms that a message is scheduled or a reminder set. */
export function scheduledNotice(scheduled: {
  readonly id: number;
  /** Undefined for a reminder. */
  readonly place: ShownPlace | undefined;
  readonly time: ShownTime;
  readonly zoneSource: ZoneSource;
  readonly text: string;
  readonly emptyTopicName: string;
}): Notice {
  const { id, place, time, zoneSource, text, emptyTopicName } = scheduled;
  const number = inlineCode(String(id));
  return notice(
    place
      ? paragraph`Message ${number} goes to ${shownPlace(place, emptyTopicName)} on ${shownTime(time)}.`
      : paragraph`Reminder ${number} comes on ${shownTime(time)}.`,
    ...zoneParagraph(zoneSource),
    paragraph`Its text: ${shownText(text)}`,
    paragraph`To undo this, write ${inlineCode(`cancel ${id}`)}.`,
  );
}

/** Confirms that a series was created. */
export function seriesNotice(created: {
  readonly id: number;
  readonly place: ShownPlace;
  readonly rrule: string;
  /** The times of the next messages. */
  readonly times: readonly ShownTime[];
  readonly zoneSource: ZoneSource;
  readonly text: string;
  readonly emptyTopicName: string;
}): Notice {
  const { id, place, rrule, times, zoneSource, text, emptyTopicName } = created;
  const where = joined([shownPlace(place, emptyTopicName), ...shownEnd(rrule)], ", ");
  return notice(
    paragraph`Series ${seriesNumber(id)} goes to ${where}. The next times:`,
    bulletList(times.map(shownTime)),
    ...zoneParagraph(zoneSource),
    paragraph`Its text: ${shownText(text)}`,
    paragraph`To undo this, write ${inlineCode(`cancel s${id}`)}; to leave out the next one, ${inlineCode(`skip s${id}`)}.`,
  );
}

/** Confirms that the next message of a series is skipped. @param date its local date */
export function skippedNotice(id: number, date: string, times: readonly ShownTime[]): Notice {
  return notice(
    paragraph`The message of series ${seriesNumber(id)} on ${plainWords(shownDate(date))} is left out.`,
    ...nextTimesOf(times),
  );
}

/** Confirms that the next message of a series was cancelled by its own number. */
export function leftOutNotice(id: number, seriesId: number): Notice {
  return notice(
    paragraph`Message ${inlineCode(String(id))} is cancelled. Series ${seriesNumber(seriesId)} continues with its next message; ${inlineCode(`cancel s${seriesId}`)} cancels all.`,
  );
}

/** Confirms that a series is paused. */
export function pausedNotice(id: number): Notice {
  return notice(
    paragraph`Series ${seriesNumber(id)} is paused. To resume it, write ${inlineCode(`resume s${id}`)}.`,
  );
}

/** Confirms that a series is resumed, or says that it has ended. */
export function resumedNotice(id: number, times: readonly ShownTime[]): Notice {
  return notice(
    times.length === 0
      ? paragraph`Series ${seriesNumber(id)} has ended: no time is left.`
      : paragraph`Series ${seriesNumber(id)} is resumed.`,
    ...(times.length === 0 ? [] : nextTimesOf(times)),
  );
}

/** Confirms that the message of a series was sent now, and that its planned times stay. */
export function sentNowNotice(sent: {
  readonly id: number;
  readonly place: ShownPlace;
  /** Undefined for a series that is paused or has ended. */
  readonly next: ShownTime | undefined;
  readonly emptyTopicName: string;
}): Notice {
  const { id, place, next, emptyTopicName } = sent;
  return notice(
    paragraph`The message of series ${seriesNumber(id)} is sent to ${shownPlace(place, emptyTopicName)}.`,
    ...(next
      ? [paragraph`Its times stay as they were: the next one is on ${shownTime(next)}.`]
      : []),
  );
}

/** Confirms that the next message of a series was moved. */
export function movedOccurrenceNotice(moved: {
  readonly seriesId: number;
  /** The ID of the scheduled message. */
  readonly id: number;
  readonly from: ShownTime;
  readonly to: ShownTime;
  readonly next: ShownTime | undefined;
}): Notice {
  const { seriesId, id, from, to, next } = moved;
  return notice(
    paragraph`The message of series ${seriesNumber(seriesId)} that was planned for ${shownTime(from)} is moved to ${shownTime(to)}. Only this one is moved.`,
    ...(next ? [paragraph`The one after it is on ${shownTime(next)}.`] : []),
    paragraph`To move it again, write ${inlineCode(`move ${id} to …`)}.`,
  );
}

/** Confirms that the time of day of a series was changed. */
export function movedSeriesNotice(
  id: number,
  times: readonly ShownTime[],
  isPaused: boolean,
): Notice {
  if (isPaused)
    return notice(
      paragraph`Series ${seriesNumber(id)} has another time of day. It is still paused; to resume it, write ${inlineCode(`resume s${id}`)}.`,
    );
  return notice(
    paragraph`Series ${seriesNumber(id)} has another time of day.`,
    ...nextTimesOf(times),
  );
}

function nextTimesOf(times: readonly ShownTime[]): NoticePart[] {
  if (times.length === 0) return [paragraph`It was the last one.`];
  return [paragraph`The next times:`, bulletList(times.map(shownTime))];
}

/** Confirms that a scheduled message was moved. */
export function movedNotice(id: number, time: ShownTime, zoneSource: ZoneSource): Notice {
  return notice(
    paragraph`Message ${inlineCode(String(id))} is moved to ${shownTime(time)}.`,
    ...zoneParagraph(zoneSource),
  );
}

/** Confirms that a message or a reminder is cancelled. */
export function cancelledNotice(kind: "message" | "reminder" | "series", id: string): Notice {
  const what = { message: "Message", reminder: "Reminder", series: "Series" }[kind];
  return notice(paragraph`${plainWords(what)} ${inlineCode(id)} is cancelled.`);
}

/** A line of a list. */
export interface ListedLine {
  /** `12`, or `s5`. */
  readonly id: string;
  readonly kind: "message" | "reminder" | "series";
  readonly place: ShownPlace | undefined;
  /** The next time; undefined if none is planned. */
  readonly time: ShownTime | undefined;
  /** Undefined if it is going to be sent. */
  readonly state: "failed" | "paused" | undefined;
  readonly text: string;
}

/** Lists planned messages. @param total number of planned messages, including those that `lines` leaves out */
export function listNotice(
  lines: readonly ListedLine[],
  total: number,
  emptyTopicName: string,
): Notice {
  if (total === 0) return notice(paragraph`Nothing is planned.`);
  const shown = lines.map(({ id, kind, place, time, state, text }) =>
    joined(
      [
        inlineCode(id),
        plainWords(kind),
        ...(place ? [plainWords("to"), shownPlace(place, emptyTopicName)] : []),
        ...(time ? [shownTime(time)] : []),
        ...(state ? [plainWords(state === "paused" ? "(paused)" : "(could not be sent)")] : []),
        shownText(cutTo(text, 40, "…")),
      ],
      " ",
    ),
  );
  const heading =
    total > lines.length
      ? paragraph`${plainWords(`${total} are planned; these are the next ${lines.length}:`)}`
      : paragraph`${plainWords(total === 1 ? "1 is planned:" : `${total} are planned:`)}`;
  return notice(heading, bulletList(shown));
}

function zoneParagraph(source: ZoneSource): NoticePart[] {
  if (source !== "none") return [];
  return [
    paragraph`Your account has no time zone, so I took UTC. Set one in your settings, or write one after the time, such as ${inlineCode("Europe/Berlin")}.`,
  ];
}
