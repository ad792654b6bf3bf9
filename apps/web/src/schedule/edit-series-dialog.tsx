import type { MessageSeries } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { conversationOf } from "./actions.ts";
import { MessageFields, moveTo } from "./message-fields.tsx";
import { RepeatDialog, type Repetition } from "./repeat-dialog.tsx";
import { ruleOf, textOfRule } from "./rule.ts";

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
    const changes = {
      ...moveTo(place.value, from, me),
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
      <MessageFields content={content} place={place} />
    </RepeatDialog>
  );
}
