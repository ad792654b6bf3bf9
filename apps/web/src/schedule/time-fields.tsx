import { texts } from "../texts.ts";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute, relative } from "../time/words.ts";
import { instantOf } from "../time/zones.ts";
import { type ChosenTime, LocalTimeFields } from "./local-time-fields.tsx";

const t = texts.schedule;

export interface TimeFieldsProps {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
}

/** Date, time and time zone, and below them the resulting instant. */
export function TimeFields({ value, onChange }: TimeFieldsProps) {
  return (
    <div class="time-fields">
      <LocalTimeFields label={t.date} value={value} onChange={onChange} />
      <Meaning {...value} />
    </div>
  );
}

/** The instant in words, in the person's zone. */
function Meaning({ local, zone }: ChosenTime) {
  const now = useNow();
  const style = useTimeStyle();
  const instant = instantOf(local, zone);
  const isPast = instant !== undefined && instant.seconds <= now;
  return (
    <p class={isPast ? "meaning meaning-wrong" : "meaning"} role="status">
      {instant === undefined ? (
        t.noTime
      ) : (
        <>
          {absolute(instant.seconds, style)},{" "}
          {isPast ? t.past : relative(instant.seconds, now, style)}
          {instant.clocks !== "once" && <span class="hint"> {t.clocks[instant.clocks]}</span>}
        </>
      )}
    </p>
  );
}
