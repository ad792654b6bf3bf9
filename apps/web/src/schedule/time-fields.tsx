import { useId } from "preact/hooks";
import { texts } from "../texts.ts";
import { useNow, useTimeStyle } from "./use-times.ts";
import { absolute, relative } from "./words.ts";
import { instantOf, type LocalTime } from "./zones.ts";
import { ZoneField } from "./zone-field.tsx";

const t = texts.schedule;

/** Values of the fields. */
export interface ChosenTime {
  readonly local: LocalTime;
  readonly zone: string;
}

export interface TimeFieldsProps {
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
}

/** Date, time and time zone, and below them the resulting instant. */
export function TimeFields({ value, onChange }: TimeFieldsProps) {
  const id = useId();
  const [date = "", time = ""] = value.local.split("T");
  return (
    <div class="time-fields">
      <div class="fields">
        <div class="field">
          <label for={`${id}-date`}>{t.date}</label>
          <input
            id={`${id}-date`}
            type="date"
            required
            value={date}
            onInput={(event) =>
              onChange({ ...value, local: `${event.currentTarget.value}T${time}` })
            }
          />
        </div>
        <div class="field">
          <label for={`${id}-time`}>{t.timeOfDay}</label>
          <input
            id={`${id}-time`}
            type="time"
            required
            value={time}
            onInput={(event) =>
              onChange({ ...value, local: `${date}T${event.currentTarget.value}` })
            }
          />
        </div>
        <ZoneField value={value.zone} onChange={(zone) => onChange({ ...value, zone })} />
      </div>
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
