import { useTimeStyle } from "../store/use-times.ts";
import { absolute, compact, timeOfDay } from "../time/words.ts";

interface TimeProps {
  /** Seconds since the epoch. */
  readonly seconds: number;
}

/** A time of day, with the absolute time where the pointer rests. */
export function TimeOfDay({ seconds }: TimeProps) {
  return <Time seconds={seconds} text={timeOfDay(seconds, useTimeStyle())} />;
}

/** A day and time, with the absolute time where the pointer rests. */
export function DayAndTime({ seconds }: TimeProps) {
  return <Time seconds={seconds} text={compact(seconds, useTimeStyle())} />;
}

function Time({ seconds, text }: TimeProps & { readonly text: string }) {
  return (
    <time
      dateTime={new Date(seconds * 1_000).toISOString()}
      title={absolute(seconds, useTimeStyle())}
    >
      {text}
    </time>
  );
}
