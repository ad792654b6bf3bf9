import type { MessageSeries } from "@carillon/client";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { conversationOf } from "./actions.ts";
import { conditionInWords } from "./condition-fields.tsx";
import { Entry, When } from "./entry.tsx";
import type { Report } from "./report.tsx";
import { ruleOf } from "./rule.ts";
import { ruleInWords } from "./rule-words.ts";
import type { OpenDialog } from "./schedule-dialog.tsx";
import { SeriesHistory } from "./series-history.tsx";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute } from "../time/words.ts";

const t = texts.schedule;

export interface SeriesEntryProps {
  readonly series: MessageSeries;
  readonly onReport: (report: Report) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** A message that is repeated. */
export function SeriesEntry({ series, onReport, onOpen }: SeriesEntryProps) {
  const { client, notices, people, me } = useOrganization();
  const now = useNow();
  const own = useTimeStyle();
  const style = { ...own, zone: series.timezone };
  const { series_id, state, next_delivery_timestamp: next } = series;
  const id = { series_id };

  async function skip(): Promise<void> {
    const { occurrences } = await client.skipSeriesOccurrence(id);
    const seconds = occurrences[0]?.scheduled_delivery_timestamp;
    onReport({
      text: seconds === undefined ? t.skippedLast : t.skippedNext(absolute(seconds, own)),
    });
  }

  async function send(): Promise<void> {
    await client.sendSeriesNow(id);
    onReport({ text: t.sentNow });
  }

  const rule = ruleInWords(ruleOf(series.rrule), series.start, now, style);
  return (
    <Entry
      place={conversationOf(series, me)}
      head={
        <strong class="entry-rule">
          {rule}
          {style.zone !== own.zone && <span class="when-day"> ({style.zone})</span>}
        </strong>
      }
      text={series.content}
      kind={state === "paused" ? "paused" : undefined}
      actions={
        <>
          <Button onClick={() => onOpen({ kind: "edit-series", series })}>
            {texts.common.edit}
          </Button>
          {state === "active" && (
            <>
              <Button disabled={next === null} onClick={() => notices.attempt(skip())}>
                {t.skipNext}
              </Button>
              <Button onClick={() => notices.attempt(client.pauseMessageSeries(id))}>
                {t.pause}
              </Button>
            </>
          )}
          {state === "paused" && (
            <Button kind="primary" onClick={() => notices.attempt(client.resumeMessageSeries(id))}>
              {t.resume}
            </Button>
          )}
          <Button onClick={() => notices.attempt(send())}>{t.sendNow}</Button>
          <Button
            kind="danger"
            onClick={() =>
              onOpen({
                kind: "delete",
                title: t.deleteSeriesTitle,
                hint: t.deleteSeriesHint,
                remove: () => client.deleteMessageSeries(id),
              })
            }
          >
            {texts.common.delete}
          </Button>
        </>
      }
    >
      <p class="entry-note">
        {state === "active" && next !== null && (
          <>
            {t.next} <When seconds={next} />
          </>
        )}
        {state === "active" && next === null && t.planning}
        {state === "paused" && <strong>{t.paused[series.paused_reason ?? "manual"]}</strong>}
        {state === "ended" && t.ended}
        {" · "}
        {t.sentCount(series.sent_count)}
        {series.author_id !== me && (
          <>
            {" · "}
            <bdi>{t.by(people.nameOf(series.author_id) ?? texts.messages.unknownPerson)}</bdi>
          </>
        )}
      </p>
      {series.unless.map((condition) => (
        <p key={JSON.stringify(condition)} class="entry-note">
          {t.notSentIf(conditionInWords(condition))}
        </p>
      ))}
      <SeriesHistory series={series} />
    </Entry>
  );
}
