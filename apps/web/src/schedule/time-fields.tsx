import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute, relative } from "../time/words.ts";
import { instantOf, type LocalTime } from "../time/zones.ts";
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
  const [date = "", time = ""] = value.local.split("T");
  return (
    <div class="time-fields">
      <div class="fields">
        <Field
          label={t.date}
          name="date"
          type="date"
          required
          value={date}
          onInput={(day) => onChange({ ...value, local: `${day}T${time}` })}
        />
        <Field
          label={t.timeOfDay}
          name="time"
          type="time"
          required
          value={time}
          onInput={(clock) => onChange({ ...value, local: `${date}T${clock}` })}
        />
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
