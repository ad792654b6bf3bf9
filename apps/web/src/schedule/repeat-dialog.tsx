import type { Condition } from "@carillon/client";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { LocalTimeFields } from "./local-time-fields.tsx";
import { type Rule, textOfRule } from "./rule.ts";
import { RuleFields } from "./rule-fields.tsx";
import { RulePreview } from "./rule-preview.tsx";
import { isZone } from "../time/zones.ts";

const t = texts.schedule;

/** When a series is sent. */
export interface Repetition {
  /** The first day that counts and the time of day, in the zone: `2026-12-01T09:00`. */
  readonly start: string;
  readonly timezone: string;
  readonly rule: Rule;
  readonly unless: readonly Condition[];
}

export interface RepeatDialogProps {
  readonly title: string;
  readonly submit: string;
  readonly value: Repetition;
  readonly hasTopic: boolean;
  readonly excludedDates?: readonly string[];
  /** Further fields, above the rule. */
  readonly children?: ComponentChildren;
  readonly onSubmit: (value: Repetition) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks how a message is repeated, and shows its next five times. */
export function RepeatDialog(props: RepeatDialogProps) {
  const form = useSignal(props.value);
  const { start, timezone, rule, unless } = form.value;
  const [date = "", time = ""] = start.split("T");
  const change = (changes: Partial<Repetition>) => {
    form.value = { ...form.value, ...changes };
  };
  const rrule = textOfRule(rule);
  const isComplete = date !== "" && time !== "" && isZone(timezone) && isWhole(rule);
  return (
    <FormDialog
      title={props.title}
      submit={props.submit}
      onClose={props.onClose}
      onSubmit={() => props.onSubmit(form.value)}
    >
      {props.children}
      <RuleFields value={rule} onChange={(value) => change({ rule: value })} />
      <LocalTimeFields
        label={t.startsOn}
        value={{ local: start, zone: timezone }}
        onChange={({ local, zone }) => change({ start: local, timezone: zone })}
      />
      <ConditionFields
        value={unless}
        hasTopic={props.hasTopic}
        canMove={false}
        onChange={(value) => change({ unless: value })}
      />
      {isComplete && (
        <RulePreview
          start={start}
          timezone={timezone}
          rrule={rrule}
          excludedDates={props.excludedDates ?? []}
        />
      )}
    </FormDialog>
  );
}

/** Whether all fields of a rule are filled in. */
function isWhole({ kind, interval, end, text }: Rule): boolean {
  if (kind === "other") return text.trim() !== "";
  if (end.kind === "until" && end.date === "") return false;
  return interval >= 1 && (end.kind !== "count" || end.count >= 1);
}
