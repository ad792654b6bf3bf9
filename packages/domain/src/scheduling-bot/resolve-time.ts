import type { Notice } from "@carillon/markdown";

import { type Clarification, isClarification } from "./clarification.ts";
import type { BotContext } from "./context.ts";
import type { Decisions } from "./question.ts";
import { readWhen } from "./read-when.ts";
import type { ShownTime } from "./shown-values.ts";
import {
  pastNotice,
  questions,
  timeChoice,
  unclearNotice,
  unknownZoneNotice,
  type ZoneSource,
} from "./texts.ts";

/** A time, and the source of its time zone. */
export interface ResolvedTime extends ShownTime {
  readonly source: ZoneSource;
}

/** Whether the result is a time, not a refusal or a question. */
export function isTime(result: ResolvedTime | Notice | Clarification): result is ResolvedTime {
  return !isClarification(result) && "instant" in result;
}

/** Returns the time that the person has chosen, or reads the phrase. Returns a refusal or a question if it has no single time. */
export function resolveTime(
  context: BotContext,
  phrase: string,
  settled: Decisions,
): ResolvedTime | Notice | Clarification {
  const when = readWhen(phrase, { ...context, now: settled.now });
  if (when.kind === "past") return pastNotice();
  if (when.kind === "unclear") return unclearNotice("when");
  if (when.kind === "timezone") return unknownZoneNotice(when.message);
  const { timezone, readings } = when;
  const isOwn = timezone === context.timezone;
  const source = !isOwn ? "command" : context.hasTimezone ? "account" : "none";
  const time = settled.time ?? (readings.length === 1 ? readings[0] : undefined);
  if (time) return { ...time, timezone, source };
  return {
    kind: "clarification",
    question: questions.time(),
    choices: readings.map((reading) => ({
      shown: timeChoice({ ...reading, timezone }),
      settled: { ...settled, time: reading },
    })),
  };
}
