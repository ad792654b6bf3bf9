import type { Condition, ScheduledMessage } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { conversationOf } from "./actions.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { secondsOf } from "./later-dialog.tsx";
import { MessageFields, moveTo } from "./message-fields.tsx";
import { firstChoice } from "./presets.ts";
import { TimeFields } from "./time-fields.tsx";
import { useTimeStyle } from "../store/use-times.ts";
import { localOf } from "../time/zones.ts";

const t = texts.schedule;

export interface EditDialogProps {
  readonly message: ScheduledMessage;
  /** Returns the conditions; undefined while they are not loaded. */
  readonly conditionsNow: () => readonly Condition[] | undefined;
  /** Whether only the time is asked for. */
  readonly isTimeOnly: boolean;
  /** Whether the message belongs to a series, of which the others stay as they are. */
  readonly isOccurrence: boolean;
  readonly onClose: () => void;
}

/** Changes a scheduled message. Only what differs is sent, so that what others changed meanwhile stays. */
export function EditDialog(props: EditDialogProps) {
  const { message, conditionsNow, isTimeOnly, isOccurrence, onClose } = props;
  const { client, clock, me } = useOrganization();
  const { zone } = useTimeStyle();
  // The conditions may arrive while the dialog is open.
  const conditions = conditionsNow();
  const before = {
    place: conversationOf(message, me),
    content: message.content,
    local: message.failed
      ? firstChoice(clock.now(), zone)
      : localOf(message.scheduled_delivery_timestamp, zone),
    unless: conditions ?? [],
  };
  const place = useSignal(before.place);
  const content = useSignal(before.content);
  const time = useSignal({ local: before.local, zone });
  /** The conditions that the person has chosen; undefined until then. */
  const unless = useSignal<readonly Condition[] | undefined>(undefined);
  const chosen = unless.value ?? before.unless;
  const hasTopic = "channelId" in place.value;
  // Others than for channels would be refused.
  const possible = hasTopic ? chosen : chosen.filter(({ kind }) => kind !== "topic_resolved");

  async function save(): Promise<void> {
    const isLater = message.failed || time.value.local !== before.local || time.value.zone !== zone;
    const changes = {
      ...moveTo(place.value, before.place, me),
      ...(content.value !== before.content && { content: content.value }),
      ...(isLater && { scheduled_delivery_timestamp: secondsOf(time.value) }),
      ...(JSON.stringify(possible) !== JSON.stringify(before.unless) && { unless: possible }),
    };
    if (Object.keys(changes).length > 0)
      await client.editScheduledMessage({
        scheduled_message_id: message.scheduled_message_id,
        ...changes,
      });
  }

  return (
    <FormDialog
      title={isTimeOnly ? t.newTime : t.editTitle}
      submit={isTimeOnly ? t.schedule : texts.common.save}
      onSubmit={save}
      onClose={onClose}
    >
      {isOccurrence && <p class="hint">{t.onlyThisOne}</p>}
      {!isTimeOnly && <MessageFields content={content} place={place} />}
      <TimeFields
        value={time.value}
        onChange={(value) => {
          time.value = value;
        }}
      />
      {!isTimeOnly && conditions && (
        <ConditionFields
          value={possible}
          hasTopic={hasTopic}
          canMove={!isOccurrence}
          onChange={(value) => {
            unless.value = value;
          }}
        />
      )}
    </FormDialog>
  );
}
