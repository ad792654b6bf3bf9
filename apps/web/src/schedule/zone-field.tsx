import { useId } from "preact/hooks";
import { texts } from "../texts.ts";
import { isZone, zones } from "../time/zones.ts";

const t = texts.schedule;

export interface ZoneFieldProps {
  readonly value: string;
  readonly onChange: (zone: string) => void;
}

/** A time zone by its IANA name, which the browser completes. */
export function ZoneField({ value, onChange }: ZoneFieldProps) {
  const id = useId();
  return (
    <div class="field zone-field">
      <label for={id}>{t.zone}</label>
      <input
        id={id}
        list={`${id}-zones`}
        required
        spellcheck={false}
        autoComplete="off"
        value={value}
        aria-invalid={!isZone(value)}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
        onFocus={(event) => event.currentTarget.select()}
      />
      <datalist id={`${id}-zones`}>
        {zones().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}
