import type { ListSeriesOccurrencesResult, MessageSeries } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import { hashOf } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { conversationOf } from "./actions.ts";
import { useTimeStyle } from "../store/use-times.ts";
import { absolute, compact } from "../time/words.ts";

const t = texts.schedule;
const mostRuns = 20;

/** The next five times of a series and what became of the last ones, read when they are opened. */
export function SeriesHistory({ series }: { readonly series: MessageSeries }) {
  const { client, me } = useOrganization();
  const style = { ...useTimeStyle(), zone: series.timezone };
  const isOpen = useSignal(false);
  const list = useSignal<ListSeriesOccurrencesResult | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const { series_id, version, sent_count, next_occurrence } = series;

  useEffect(() => {
    if (!isOpen.value) return;
    const ending = new AbortController();
    client
      .listSeriesOccurrences({ series_id, count: 5 }, { signal: ending.signal })
      .then((answer) => {
        list.value = answer;
        error.value = undefined;
      })
      .catch((cause: unknown) => {
        if (!ending.signal.aborted) error.value = reasonOf(cause);
      });
    return () => ending.abort();
  }, [isOpen.value, series_id, version, sent_count, next_occurrence]);

  const { occurrences = [], runs = [] } = list.value ?? {};
  return (
    <details
      class="history"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{t.history}</summary>
      {error.value !== undefined && <Alert>{error.value}</Alert>}
      {occurrences.length > 0 && <h4>{t.preview}</h4>}
      <ul>
        {occurrences.map(({ occurrence, scheduled_delivery_timestamp: seconds }) => (
          <li key={occurrence}>
            <time
              dateTime={new Date(seconds * 1_000).toISOString()}
              title={absolute(seconds, style)}
            >
              {compact(seconds, style)}
            </time>
          </li>
        ))}
      </ul>
      {runs.length > 0 && <h4>{t.results}</h4>}
      <ul>
        {runs.slice(0, mostRuns).map(({ occurrence, outcome, message_id, reason }) => (
          <li key={occurrence} class={`run run-${outcome}`}>
            <span>{occurrence}</span> <strong>{t.outcomes[outcome]}</strong>{" "}
            {message_id !== null && (
              <a href={hashOf(routeOf(conversationOf(series, me), me, message_id))}>
                {texts.common.message}
              </a>
            )}{" "}
            {reason}
          </li>
        ))}
      </ul>
      {list.value && runs.length === 0 && <p class="hint">{t.noResults}</p>}
    </details>
  );
}
