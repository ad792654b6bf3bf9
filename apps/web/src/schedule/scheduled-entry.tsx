import type { ScheduledMessage } from "@carillon/client";
import type { ScheduleDetails } from "../store/schedule-details.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { DayAndTime } from "../ui/time.tsx";
import { conversationOf, restore, sendNow } from "./actions.ts";
import { conditionInWords } from "./condition-fields.tsx";
import { Entry, When } from "./entry.tsx";
import { Repeatable } from "./repeatable.ts";
import type { Report } from "./report.tsx";
import type { OpenDialog } from "./schedule-dialog.tsx";
import { useTimeStyle } from "../store/use-times.ts";
import { absolute } from "../time/words.ts";

const t = texts.schedule;

export interface ScheduledEntryProps {
  readonly message: ScheduledMessage;
  readonly details: ScheduleDetails;
  readonly onReport: (report: Report) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** A message that waits for its time, or that could not be sent. */
export function ScheduledEntry({ message, details, onReport, onOpen }: ScheduledEntryProps) {
  const organization = useOrganization();
  const { client, notices, plans, me } = organization;
  const style = useTimeStyle();
  const { scheduled_message_id: id, scheduled_delivery_timestamp: seconds, failed } = message;
  const series = plans.series.all().find((one) => one.next_scheduled_message_id === id);
  const conditionsNow = () =>
    details.state.value === "loaded"
      ? (details.conditions.get(id) ?? series?.unless ?? [])
      : undefined;
  const conditions = conditionsNow();
  const lastCheckIn = details.lastCheckIns.get(id);
  const reason = details.failures.get(id)?.reason;
  const open = (kind: "edit" | "time") =>
    onOpen({ kind, message, conditionsNow, isOccurrence: series !== undefined });

  async function remove(): Promise<void> {
    const request = new Repeatable();
    await client.deleteScheduledMessage({ scheduled_message_id: id });
    onReport({
      text: failed ? t.deleted : t.deletedNotSent,
      // The time of a failed one is past. Without its conditions, another would be sent whatever happens.
      undo:
        failed || !conditions
          ? undefined
          : () => restore(organization, message, conditions, request),
    });
  }

  async function checkIn(): Promise<void> {
    const { scheduled_delivery_timestamp: next } = await client.checkIn({
      scheduled_message_id: id,
    });
    const isMoved = conditions?.some((one) => one.kind === "check_in" && one.interval);
    onReport({ text: isMoved ? t.checkedInUntil(absolute(next, style)) : t.checkedIn });
    await details.load();
  }

  async function skip(seriesId: number): Promise<void> {
    await client.skipSeriesOccurrence({ series_id: seriesId });
    onReport({ text: t.skipped(absolute(seconds, style)) });
  }

  async function send(): Promise<void> {
    await sendNow(organization, id, conditions?.length !== 0);
    onReport({ text: t.sendingNow });
  }

  const askAndRemove = () =>
    onOpen({ kind: "delete", title: texts.common.deleteMessage, hint: t.deleteHint, remove });
  return (
    <Entry
      place={conversationOf(message, me)}
      head={<When seconds={seconds} isOver={failed} />}
      html={message.rendered_content}
      kind={failed ? "failed" : undefined}
      actions={
        <>
          {failed && (
            <Button kind="primary" onClick={() => open("time")}>
              {t.newTime}
            </Button>
          )}
          {!failed && conditions?.some(({ kind }) => kind === "check_in") && (
            <Button kind="primary" onClick={() => notices.attempt(checkIn())}>
              {t.checkIn}
            </Button>
          )}
          <Button onClick={() => open("edit")}>{texts.common.edit}</Button>
          <Button onClick={() => notices.attempt(send())}>{t.sendNow}</Button>
          {series ? (
            <Button onClick={() => notices.attempt(skip(series.series_id))}>{t.skip}</Button>
          ) : (
            <Button
              kind="danger"
              onClick={() => (failed || !conditions ? askAndRemove() : notices.attempt(remove()))}
            >
              {texts.common.delete}
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
      {conditions?.map((condition) => (
        <p key={JSON.stringify(condition)} class="entry-note">
          {t.notSentIf(conditionInWords(condition))}
        </p>
      ))}
      {lastCheckIn !== undefined && (
        <p class="entry-note">
          {t.lastCheckIn} <DayAndTime seconds={lastCheckIn} />
        </p>
      )}
      {series && <p class="entry-note">{t.ofSeries}</p>}
    </Entry>
  );
}
