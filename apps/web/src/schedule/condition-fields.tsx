import type { Condition } from "@carillon/client";
import { texts } from "../texts.ts";

const t = texts.schedule;

export interface ConditionFieldsProps {
  readonly value: readonly Condition[];
  /** Whether the message goes to a topic, which can be resolved. */
  readonly hasTopic: boolean;
  readonly onChange: (value: readonly Condition[]) => void;
}

/** The conditions under which the message is not sent. Those without a box of their own are listed, and stay. */
export function ConditionFields({ value, hasTopic, onChange }: ConditionFieldsProps) {
  const boxes = hasTopic ? (["reply", "topic_resolved"] as const) : (["reply"] as const);
  const isBox = ({ kind, ...more }: Condition) =>
    boxes.some((box) => box === kind) && !("by" in more && more.by);
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
      {others.map((condition) => (
        <p key={JSON.stringify(condition)} class="hint">
          {conditionInWords(condition)}
        </p>
      ))}
    </fieldset>
  );
}

/** Says when a message is not sent: "if someone replies". */
export function conditionInWords(condition: Condition): string {
  if (condition.kind === "check_in" && condition.interval !== undefined)
    return t.conditions.interval;
  if ("by" in condition && condition.by) return t.conditions.by[condition.kind];
  return t.conditions[condition.kind];
}
