import type { MessageSeries } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { keyOf } from "../store/conversation.ts";
import { recipientsOf } from "../store/outbox.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { conversationOf } from "./actions.ts";
import { PlaceFields } from "../recipients/place-fields.tsx";
import { RepeatDialog, type Repetition } from "./repeat-dialog.tsx";
import { ruleOf, textOfRule } from "./rule.ts";
import { TextField } from "./text-field.tsx";

const t = texts.schedule;

export interface EditSeriesDialogProps {
  readonly series: MessageSeries;
  readonly onClose: () => void;
}

/** Changes a series: its text, its recipient and its rule. Only what differs is sent. */
export function EditSeriesDialog({ series, onClose }: EditSeriesDialogProps) {
  const { client, me } = useOrganization();
  const from = conversationOf(series, me);
  const place = useSignal(from);
  const content = useSignal(series.content);
  const start = series.start.slice(0, 16);

  async function save(value: Repetition): Promise<void> {
    const rrule = textOfRule(value.rule);
    const isMoved =
      keyOf(place.value) !== keyOf(from) ||
      ("topic" in place.value && "topic" in from && place.value.topic !== from.topic);
    const changes = {
      ...(isMoved && recipientsOf(place.value, me)),
      ...(content.value !== series.content && { content: content.value }),
      ...(value.start !== start && { start: value.start }),
      ...(value.timezone !== series.timezone && { timezone: value.timezone }),
      ...(rrule !== textOfRule(ruleOf(series.rrule)) && { rrule }),
      ...(JSON.stringify(value.unless) !== JSON.stringify(series.unless) && {
        unless: value.unless,
      }),
    };
    if (Object.keys(changes).length > 0)
      await client.editMessageSeries({ series_id: series.series_id, ...changes });
  }

  return (
    <RepeatDialog
      title={t.editSeriesTitle}
      submit={texts.common.save}
      hasTopic={"channelId" in place.value}
      excludedDates={series.excluded_dates}
      value={{
        start,
        timezone: series.timezone,
        rule: ruleOf(series.rrule),
        unless: series.unless,
      }}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        value={content.value}
        onChange={(value) => {
          content.value = value;
        }}
      />
      <PlaceFields
        value={place.value}
        onChange={(value) => {
          place.value = value;
        }}
      />
    </RepeatDialog>
  );
}
