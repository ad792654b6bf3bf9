import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { textOf } from "../forms.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { secondsOf } from "./later-dialog.tsx";
import { firstChoice } from "./presets.ts";
import { Repeatable } from "./repeatable.ts";
import type { ChosenTime } from "./local-time-fields.tsx";
import { TimeFields } from "./time-fields.tsx";
import { useTimeStyle } from "../store/use-times.ts";

const t = texts.schedule;

export interface RemindDialogProps {
  /** The message that the account is reminded of. */
  readonly messageId: number;
  readonly onClose: () => void;
}

/** Asks when to remind the account of a message. */
export function RemindDialog({ messageId, onClose }: RemindDialogProps) {
  const { client, clock, settings } = useOrganization();
  const { zone } = useTimeStyle();
  const time = useSignal<ChosenTime>({ local: firstChoice(clock.now(), zone), zone });
  const request = useMemo(() => new Repeatable(), []);
  return (
    <FormDialog
      title={t.remindTitle}
      submit={t.remind}
      onClose={onClose}
      onSubmit={(form) => {
        const params = {
          message_id: messageId,
          scheduled_delivery_timestamp: secondsOf(time.value),
          note: textOf(form, "note"),
        };
        return client.createReminder(params, { idempotencyKey: request.keyFor(params) });
      }}
    >
      <TimeFields
        value={time.value}
        onChange={(value) => {
          time.value = value;
        }}
      />
      <Field
        label={t.note}
        name="note"
        maxLength={Number(settings.organization.get("max_reminder_note_length") ?? 500)}
      />
    </FormDialog>
  );
}
