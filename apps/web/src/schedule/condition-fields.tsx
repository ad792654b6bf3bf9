import type { Condition } from "@carillon/client";
import { texts } from "../texts.ts";
import { type Option, Select } from "../ui/select.tsx";

const t = texts.schedule;

export interface ConditionFieldsProps {
  readonly value: readonly Condition[];
  /** Whether the message goes to a topic, which can be resolved. */
  readonly hasTopic: boolean;
  /** Whether a check-in can postpone the message. In a series it cannot. */
  readonly canMove: boolean;
  readonly onChange: (value: readonly Condition[]) => void;
}

/** The conditions under which the message is not sent. Those without a box of their own are listed, and stay. */
export function ConditionFields({ value, hasTopic, canMove, onChange }: ConditionFieldsProps) {
  const boxes = hasTopic
    ? (["reply", "topic_resolved", "check_in"] as const)
    : (["reply", "check_in"] as const);
  const isBox = ({ kind, ...more }: Condition) =>
    boxes.some((box) => box === kind) && !("by" in more && more.by);
  const checkIn = value.find((one) => one.kind === "check_in" && isBox(one));
  const others = value.filter((condition) => !isBox(condition));
  return (
    <fieldset class="conditions">
      <legend>{t.doNotSend}</legend>
      {boxes.map((kind) => {
        const isOn = value.some((condition) => condition.kind === kind && isBox(condition));
        return (
          <label key={kind} class="check">
            <input
              type="checkbox"
              checked={isOn}
              onChange={() => {
                const rest = value.filter((one) => one.kind !== kind || !isBox(one));
                onChange(isOn ? rest : [...rest, { kind }]);
              }}
            />
            {t.conditions[kind]}
          </label>
        );
      })}
      {canMove && checkIn?.kind === "check_in" && (
        <Select
          label={t.afterCheckIn}
          name="interval"
          value={String(checkIn.interval ?? 0)}
          options={intervalOptions(checkIn.interval)}
          onChange={(seconds) => {
            const interval = Number(seconds);
            const changed = { kind: "check_in" as const, ...(interval > 0 && { interval }) };
            onChange(value.map((one) => (one === checkIn ? changed : one)));
          }}
        />
      )}
      {others.map((condition) => (
        <p key={JSON.stringify(condition)} class="hint">
          {conditionInWords(condition)}
        </p>
      ))}
    </fieldset>
  );
}

/**
 * Returns the possible effects of a check-in; a value is the seconds by which it postpones the message. Includes an interval
 * that another program has chosen.
 */
function intervalOptions(chosen: number | undefined): Option[] {
  const { withhold, hour, day, week } = t.checkInWays;
  const options = [
    { value: "0", label: withhold },
    { value: "3600", label: hour },
    { value: "86400", label: day },
    { value: "604800", label: week },
  ];
  const isKnown = options.some(({ value }) => Number(value) === (chosen ?? 0));
  return isKnown ? options : [...options, { value: String(chosen), label: t.laterBy(chosen ?? 0) }];
}

/** Says when a message is not sent: "if someone replies". */
export function conditionInWords(condition: Condition): string {
  const isMoved = condition.kind === "check_in" && condition.interval !== undefined;
  const kind = isMoved ? "interval" : condition.kind;
  return "by" in condition && condition.by ? t.conditions.by[kind] : t.conditions[kind];
}
