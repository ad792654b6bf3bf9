import { formatDate, parseDate, parseRule, weekdayNames, weekdayOf } from "@carillon/calendar";
import { cutTo } from "@carillon/kit";
import {
  emphasised,
  inlineCode,
  joined,
  moment,
  type NoticePart,
  plainWords,
  topicLink,
} from "@carillon/markdown";

/** Maximum length of a quoted text in an answer, in code points. */
const maxQuoteLength = 200;
/** Maximum number of names of people in an answer. */
const maxNames = 5;

/** A place as an answer shows it. */
export type ShownPlace =
  | {
      readonly kind: "channel";
      /** Undefined if the person can no longer see the channel. */
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

/** Shows weekday, date, time, zone and offset, and the global time that clients show in the reader's zone. */
export function shownTime({ instant, localTime, timezone }: ShownTime): NoticePart {
  const [date = "", clock = ""] = localTime.split("T");
  const offset = clock.slice(8);
  const time = clock.slice(0, 8).replace(/:00$/, "");
  const words = `${shownDate(date)}, ${time} (${timezone}, ${offset})`;
  return joined([plainWords(words), moment(instant)], " ");
}

/** Writes `2026-12-01` as `Tuesday, 1 December 2026`. */
export function shownDate(date: string): string {
  const day = parseDate(date);
  const [year, month, dayOfMonth] = date.split("-").map(Number);
  const weekday = day === undefined ? "" : weekdayNames[weekdayOf(day)]!;
  return `${weekday}, ${dayOfMonth} ${months[month! - 1]} ${year}`;
}

/** Shows a place. Names are plain text, which notifies no account. */
export function shownPlace(place: ShownPlace, emptyTopicName: string): NoticePart {
  switch (place.kind) {
    case "me":
      return plainWords("you");
    case "people": {
      const names = place.names.slice(0, maxNames).map(emphasised);
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

/** Shows a text, cut to its first words. */
export function shownText(text: string): NoticePart {
  return inlineCode(cutTo(text, maxQuoteLength, "…"));
}

/** Shows the number by which commands name a series. */
export function seriesNumber(id: number): NoticePart {
  return inlineCode(`s${id}`);
}

/** Words for the end of a rule, if it has one. */
export function shownEnd(rrule: string): NoticePart[] {
  const { count, until } = parseRule(rrule);
  if (count !== undefined) return [plainWords(count === 1 ? "once" : `${count} times`)];
  return until && "day" in until ? [plainWords(`until ${shownDate(formatDate(until.day))}`)] : [];
}
