import { useId } from "preact/hooks";
import { texts } from "../texts.ts";
import { type End, type Rule, type Weekday, weekdays } from "./rule.ts";

const t = texts.schedule;

export interface RuleFieldsProps {
  readonly value: Rule;
  readonly onChange: (value: Rule) => void;
}

/** How often a message is repeated, and until when. */
export function RuleFields({ value, onChange }: RuleFieldsProps) {
  const id = useId();
  const change = (changes: Partial<Rule>) => onChange({ ...value, ...changes });
  const hasInterval = value.kind !== "weekdays" && value.kind !== "other";
  return (
    <>
      <div class="fields">
        <div class="field">
          <label for={`${id}-kind`}>{t.repeats}</label>
          <select
            id={`${id}-kind`}
            value={value.kind}
            onChange={(event) => change({ kind: event.currentTarget.value as Rule["kind"] })}
          >
            {(["daily", "weekdays", "weekly", "monthly", "other"] as const).map((kind) => (
              <option key={kind} value={kind}>
                {t.kinds[kind]}
              </option>
            ))}
          </select>
        </div>
        {hasInterval && (
          <div class="field">
            <label for={`${id}-interval`}>{t.every[value.kind]}</label>
            <input
              id={`${id}-interval`}
              type="number"
              min={1}
              max={1_000}
              required
              value={value.interval}
              onInput={(event) => change({ interval: Number(event.currentTarget.value) })}
            />
          </div>
        )}
        {value.kind === "monthly" && (
          <div class="field">
            <label for={`${id}-day`}>{t.dayOfMonth}</label>
            <select
              id={`${id}-day`}
              value={value.monthDay}
              onChange={(event) => change({ monthDay: Number(event.currentTarget.value) })}
            >
              {Array.from({ length: 31 }, (_, index) => (
                <option key={index} value={index + 1}>
                  {index + 1}
                </option>
              ))}
              <option value={-1}>{t.lastDay}</option>
            </select>
          </div>
        )}
      </div>
      {value.kind === "weekly" && <Days days={value.days} onChange={(days) => change({ days })} />}
      {value.kind === "other" ? (
        <div class="field">
          <label for={`${id}-text`}>{t.ruleText}</label>
          <input
            id={`${id}-text`}
            required
            maxLength={300}
            spellcheck={false}
            placeholder="FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1"
            value={value.text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </div>
      ) : (
        <EndFields value={value.end} onChange={(end) => change({ end })} />
      )}
    </>
  );
}

interface DaysProps {
  readonly days: readonly Weekday[];
  readonly onChange: (days: readonly Weekday[]) => void;
}

function Days({ days, onChange }: DaysProps) {
  return (
    <fieldset class="days">
      <legend>{t.onDays}</legend>
      {weekdays.map((day) => (
        <label key={day} class="day-box">
          <input
            type="checkbox"
            aria-label={t.weekdays[day]}
            checked={days.includes(day)}
            onChange={() =>
              onChange(days.includes(day) ? days.filter((one) => one !== day) : [...days, day])
            }
          />
          <span aria-hidden="true">{t.weekdays[day].slice(0, 2)}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface EndFieldsProps {
  readonly value: End;
  readonly onChange: (value: End) => void;
}

function EndFields({ value, onChange }: EndFieldsProps) {
  const id = useId();
  const choose = (kind: End["kind"]) => {
    if (kind === "until") onChange({ kind, date: "" });
    else if (kind === "count") onChange({ kind, count: 10 });
    else onChange({ kind });
  };
  return (
    <div class="fields">
      <div class="field">
        <label for={`${id}-kind`}>{t.ends}</label>
        <select
          id={`${id}-kind`}
          value={value.kind}
          onChange={(event) => choose(event.currentTarget.value as End["kind"])}
        >
          {(["never", "until", "count"] as const).map((kind) => (
            <option key={kind} value={kind}>
              {t.endings[kind]}
            </option>
          ))}
        </select>
      </div>
      {value.kind === "until" && (
        <div class="field">
          <label for={`${id}-date`}>{t.lastDate}</label>
          <input
            id={`${id}-date`}
            type="date"
            required
            value={value.date}
            onInput={(event) => onChange({ kind: "until", date: event.currentTarget.value })}
          />
        </div>
      )}
      {value.kind === "count" && (
        <div class="field">
          <label for={`${id}-count`}>{t.times}</label>
          <input
            id={`${id}-count`}
            type="number"
            min={1}
            max={1_000}
            required
            value={value.count}
            onInput={(event) =>
              onChange({ kind: "count", count: Number(event.currentTarget.value) })
            }
          />
        </div>
      )}
    </div>
  );
}
