import { texts } from "../texts.ts";
import type { LocalTime } from "../time/zones.ts";
import { Field } from "../ui/field.tsx";
import { ZoneField } from "./zone-field.tsx";

/** A local time in a time zone. */
export interface ChosenTime {
  readonly local: LocalTime;
  readonly zone: string;
}

export interface LocalTimeFieldsProps {
  /** The label of the date. */
  readonly label: string;
  readonly value: ChosenTime;
  readonly onChange: (value: ChosenTime) => void;
}

/** Draws the fields of a local time: date, time of day and time zone. */
export function LocalTimeFields({ label, value, onChange }: LocalTimeFieldsProps) {
  const [date = "", time = ""] = value.local.split("T");
  return (
    <div class="fields">
      <Field
        label={label}
        name="date"
        type="date"
        required
        value={date}
        onInput={(day) => onChange({ ...value, local: `${day}T${time}` })}
      />
      <Field
        label={texts.schedule.timeOfDay}
        name="time"
        type="time"
        required
        value={time}
        onInput={(clock) => onChange({ ...value, local: `${date}T${clock}` })}
      />
      <ZoneField value={value.zone} onChange={(zone) => onChange({ ...value, zone })} />
    </div>
  );
}
