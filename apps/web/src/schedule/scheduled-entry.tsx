import type { ScheduledMessage } from "@carillon/client";
import { useSignal } from "@preact/signals";
import type { ScheduleDetails } from "../store/schedule-details.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { conversationOf, restore, sendNow } from "./actions.ts";
import { conditionInWords } from "./condition-fields.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { Entry, When } from "./entry.tsx";
import type { Report } from "./report.tsx";
import { useTimeStyle } from "./use-times.ts";
import { absolute } from "./words.ts";

const t = texts.schedule;

export interface ScheduledEntryProps {
  readonly message: ScheduledMessage;
  readonly details: ScheduleDetails;
  readonly onReport: (report: Report) => void;
}

/** A message that waits for its time, or that could not be sent. */
export function ScheduledEntry({ message, details, onReport }: ScheduledEntryProps) {
  const organization = useOrganization();
  const { client, notices, plans, me } = organization;
  const style = useTimeStyle();
  const dialog = useSignal<"none" | "edit" | "time" | "delete">("none");
  const { scheduled_message_id: id, scheduled_delivery_timestamp: seconds, failed } = message;
  const series = plans.series.all().find((one) => one.next_scheduled_message_id === id);
  const conditions = details.conditions.get(id) ?? series?.unless ?? [];
  const reason = details.failures.get(id)?.reason;
  const close = () => {
    dialog.value = "none";
  };

  async function remove(): Promise<void> {
    await client.deleteScheduledMessage({ scheduled_message_id: id });
    onReport({
      text: failed ? t.deleted : t.deletedNotSent,
      // Its time is past, so that it cannot be scheduled again.
      undo: failed ? undefined : () => restore(organization, message, conditions),
    });
  }

  async function skip(seriesId: number): Promise<void> {
    await client.skipSeriesOccurrence({ series_id: seriesId });
    onReport({ text: t.skipped(absolute(seconds, style)) });
  }

  async function send(): Promise<void> {
    await sendNow(organization, id, conditions.length > 0);
    onReport({ text: t.sendingNow });
  }

  // Without the conditions, a message that is restored would be sent whatever happens.
  const canUndo = !failed && details.state.value === "loaded";
  return (
    <Entry
      place={conversationOf(message, me)}
      head={<When seconds={seconds} />}
      html={message.rendered_content}
      kind={failed ? "failed" : undefined}
      actions={
        <>
          {failed && (
            <Button kind="primary" onClick={() => (dialog.value = "time")}>
              {t.newTime}
            </Button>
          )}
          <Button onClick={() => (dialog.value = "edit")}>{t.edit}</Button>
          <Button onClick={() => notices.attempt(send())}>{t.sendNow}</Button>
          {series ? (
            <Button onClick={() => notices.attempt(skip(series.series_id))}>{t.skip}</Button>
          ) : (
            <Button
              kind="danger"
              onClick={() => (canUndo ? notices.attempt(remove()) : (dialog.value = "delete"))}
            >
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      {failed && (
        <p class="entry-reason">
          <strong>{t.notSent}</strong> {reason}
        </p>
      )}
      {conditions.map((condition) => (
        <p key={JSON.stringify(condition)} class="entry-note">
          {t.notSentIf(conditionInWords(condition))}
        </p>
      ))}
      {series && <p class="entry-note">{t.ofSeries}</p>}
      {(dialog.value === "edit" || dialog.value === "time") && (
        <EditDialog
          message={message}
          conditions={conditions}
          isTimeOnly={dialog.value === "time"}
          isOccurrence={series !== undefined}
          onClose={close}
        />
      )}
      {dialog.value === "delete" && (
        <ConfirmDialog
          title={t.deleteTitle}
          text={t.deleteHint}
          submit={t.delete}
          onSubmit={remove}
          onClose={close}
        />
      )}
    </Entry>
  );
}
