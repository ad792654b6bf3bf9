import type { Condition } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { firstChoice } from "./presets.ts";
import type { ChosenTime } from "./local-time-fields.tsx";
import { TimeFields } from "./time-fields.tsx";
import { useTimeStyle } from "../store/use-times.ts";
import { instantOf } from "../time/zones.ts";

const t = texts.schedule;

export interface LaterDialogProps {
  readonly title: string;
  readonly conditions: readonly Condition[];
  readonly hasTopic: boolean;
  readonly onSubmit: (seconds: number, conditions: readonly Condition[]) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks when a message is sent, and under which conditions it is not. */
export function LaterDialog(props: LaterDialogProps) {
  const { clock } = useOrganization();
  const { zone } = useTimeStyle();
  const time = useSignal<ChosenTime>({ local: firstChoice(clock.now(), zone), zone });
  const conditions = useSignal(props.conditions);
  return (
    <FormDialog
      title={props.title}
      submit={t.schedule}
      onClose={props.onClose}
      onSubmit={() => props.onSubmit(secondsOf(time.value), conditions.value)}
    >
      <TimeFields
        value={time.value}
        onChange={(value) => {
          time.value = value;
        }}
      />
      <ConditionFields
        value={conditions.value}
        hasTopic={props.hasTopic}
        canMove
        onChange={(value) => {
          conditions.value = value;
        }}
      />
    </FormDialog>
  );
}

/** @throws Error if the fields are no time */
export function secondsOf({ local, zone }: ChosenTime): number {
  const instant = instantOf(local, zone);
  if (!instant) throw new Error(t.noTime);
  return instant.seconds;
}
