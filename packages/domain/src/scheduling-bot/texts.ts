import { parseDate, weekdayNames, weekdayOf } from "@carillon/calendar";
import { cutTo } from "@carillon/kit";
import {
  bulletList,
  emphasised,
  inlineCode,
  joined,
  moment,
  type Notice,
  notice,
  type NoticePart,
  numberedList,
  paragraph,
  plainWords,
  quoted,
  topicLink,
  verbatim,
} from "@carillon/markdown";

import type { Unclear } from "./parse-command.ts";

/** Code points of a text that an answer quotes. */
const longestQuote = 200;
/** Names of people that an answer lists. */
const mostNames = 5;

/** A place as an answer shows it. */
export type ShownPlace =
  | {
      readonly kind: "channel";
      /** Undefined where the person cannot see the channel any more. */
      readonly channel: { readonly id: number; readonly name: string } | undefined;
      readonly topic: string;
    }
  | { readonly kind: "people"; readonly names: readonly string[] }
  | { readonly kind: "me" };

/** A time as an answer shows it. */
export interface ShownTime {
  /** UNIX seconds. */
  readonly instant: number;
  /** `2026-12-01T09:00:00+01:00` */
  readonly localTime: string;
  readonly timezone: string;
}

/** Where the time zone of an answer comes from. */
export type ZoneSource = "account" | "command" | "none";

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

const sendExample = "send tomorrow 9:00 to #general > standup: What do you plan today?";
const everyExample = "every weekday at 9:00 to #general > standup: What do you plan today?";

const reasons: Readonly<Record<Unclear, readonly [sentence: string, example: string]>> = {
  command: ["This is no command that I know.", sendExample],
  to: [
    "I miss where the message goes: write “to” and a channel, a person or me before the text.",
    sendExample,
  ],
  colon: ["I miss the colon before the text, and a space after it.", sendExample],
  where: [
    "I cannot read where the message goes.",
    "send tomorrow 9:00 to @**Full Name**: Happy birthday!",
  ],
  text: ["There is no text after the colon.", sendExample],
  when: ["I cannot read the time.", "remind me tomorrow 9:00: Call the office"],
  rule: ["I cannot read how often, or at what time.", everyExample],
  reference: [
    "I miss the number of a message, such as 12, or of a series, such as s5; list shows them.",
    "cancel 12",
  ],
  seriesOnly: ["Only a series can do this: its number begins with an s.", "skip s5"],
};

/** Says what a message to the bot lacks, with an example. */
export function unclearNotice(lacks: Unclear): Notice {
  const [sentence, example] = reasons[lacks];
  return notice(
    paragraph`${plainWords(sentence)} For example:`,
    paragraph`${inlineCode(example)}`,
    paragraph`Write ${inlineCode("help")} to see all commands.`,
  );
}

const commands: ReadonlyArray<readonly [command: string, about: string]> = [
  [sendExample, "sends once"],
  ["remind me in 20 minutes: Call the office", "reminds you"],
  ["list", "shows what is planned"],
  ["move 12 to friday 5pm", "changes a time"],
  ["cancel 12", "removes it"],
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
  );
}

/** Says that commands are not taken from scheduled messages. */
export function byHandNotice(): Notice {
  return notice(
    paragraph`This message was scheduled, so I did nothing: I take commands only from messages that you send by hand.`,
  );
}

/** Passes a refusal on. @param example a command that would be right */
export function refusedNotice(reason: string, example: string): Notice {
  return notice(
    paragraph`Nothing was changed: ${quoted(reason)}.`,
    paragraph`For example: ${inlineCode(example)}`,
  );
}

/** Says that a time has passed. */
export function pastNotice(): Notice {
  return refusedNotice(
    "This time has passed",
    "send tomorrow 9:00 to #general > standup: What do you plan today?",
  );
}

/** Says that a number answers no question. */
export function noQuestionNotice(): Notice {
  return notice(
    paragraph`There is no question that this answers: a question stays open for 10 minutes, until your next message. Please write the command again.`,
  );
}

/** Asks which reading is meant. @param choices what each number stands for */
export function questionNotice(question: NoticePart, choices: readonly NoticePart[]): Notice {
  return notice(
    paragraph`${question}`,
    numberedList(choices),
    paragraph`Answer with the number, within 10 minutes.`,
  );
}

export const questions = {
  time: () => plainWords("Which time do you mean?"),
  person: (name: string) =>
    joined([plainWords("Which"), verbatim(name), plainWords("do you mean?")], " "),
  topic: () => plainWords("This channel asks for a topic. Which one?"),
};

/** A time to choose. */
export function timeChoice(time: ShownTime): NoticePart {
  return shownTime(time);
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

/** Confirms another time. */
export function movedNotice(id: number, time: ShownTime, zoneSource: ZoneSource): Notice {
  return notice(
    paragraph`Message ${inlineCode(String(id))} is sent on ${shownTime(time)} now.`,
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
  /** The next time; undefined for a series that is paused. */
  readonly time: ShownTime | undefined;
  readonly isFailed: boolean;
  readonly text: string;
}

/** Lists what is planned, and how much of it is not shown. */
export function listNotice(
  lines: readonly ListedLine[],
  total: number,
  emptyTopicName: string,
): Notice {
  if (total === 0) return notice(paragraph`Nothing is planned.`);
  const shown = lines.map(({ id, kind, place, time, isFailed, text }) =>
    joined(
      [
        inlineCode(id),
        plainWords(kind),
        ...(place ? [plainWords("to"), shownPlace(place, emptyTopicName)] : []),
        time ? shownTime(time) : plainWords("(paused)"),
        ...(isFailed ? [plainWords("(could not be sent)")] : []),
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

/** Shows weekday, date, time, zone and offset, and the global time that clients show in the reader's zone. */
export function shownTime({ instant, localTime, timezone }: ShownTime): NoticePart {
  const [date = "", clock = ""] = localTime.split("T");
  const day = parseDate(date);
  const [year, month, dayOfMonth] = date.split("-").map(Number);
  const weekday = day === undefined ? "" : weekdayNames[weekdayOf(day)]!;
  const offset = clock.slice(8);
  const time = clock.slice(0, 8).replace(/:00$/, "");
  const words = `${weekday}, ${dayOfMonth} ${months[month! - 1]} ${year}, ${time} (${timezone}, ${offset})`;
  return joined([plainWords(words), moment(instant)], " ");
}

/** Shows a place; names notify nobody. */
export function shownPlace(place: ShownPlace, emptyTopicName: string): NoticePart {
  switch (place.kind) {
    case "me":
      return plainWords("you");
    case "people": {
      const names = place.names.slice(0, mostNames).map(emphasised);
      const others = place.names.length - names.length;
      const more = others > 0 ? [plainWords(`${others} more`)] : [];
      return joined([...names, ...more], ", ");
    }
    case "channel":
      return place.channel
        ? topicLink(place.channel, place.topic, emptyTopicName)
        : plainWords("a channel that you do not see");
  }
}

function shownText(text: string): NoticePart {
  return inlineCode(cutTo(text, longestQuote, "…"));
}
