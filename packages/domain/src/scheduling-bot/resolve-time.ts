import type { Notice } from "@carillon/markdown";

import { type Asking, isAsking } from "./asking.ts";
import type { BotContext } from "./context.ts";
import type { Settled } from "./question.ts";
import { readWhen } from "./read-when.ts";
import {
  pastNotice,
  questions,
  type ShownTime,
  timeChoice,
  unclearNotice,
  unknownZoneNotice,
  type ZoneSource,
} from "./texts.ts";

/** A time, and where its zone comes from. */
export interface ResolvedTime extends ShownTime {
  readonly source: ZoneSource;
}

/** Whether a phrase has one time, which needs no answer or question. */
export function isTime(result: ResolvedTime | Notice | Asking): result is ResolvedTime {
  return !isAsking(result) && "instant" in result;
}

/** Reads the time of a command, or takes the one that an answer has chosen. */
export function resolveTime(
  context: BotContext,
  phrase: string,
  settled: Settled,
): ResolvedTime | Notice | Asking {
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
    kind: "asking",
    question: questions.time(),
    choices: readings.map((reading) => ({
      shown: timeChoice({ ...reading, timezone }),
      settled: { ...settled, time: reading },
    })),
  };
}
