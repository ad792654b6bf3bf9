import type { PreviewMessageSeriesResult } from "@carillon/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reasonOf } from "../reason.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { useNow, useTimeStyle } from "../store/use-times.ts";
import { absolute, compact, relative } from "../time/words.ts";

const t = texts.schedule;
/** How long the fields must rest before the server is asked. */
const restMs = 250;

export interface RulePreviewProps {
  readonly start: string;
  readonly timezone: string;
  readonly rrule: string;
  readonly excludedDates?: readonly string[];
}

/** The next five times of a rule, as the server computes them. */
export function RulePreview({ start, timezone, rrule, excludedDates = [] }: RulePreviewProps) {
  const { client } = useOrganization();
  const now = useNow();
  const style = { ...useTimeStyle(), zone: timezone };
  const preview = useSignal<PreviewMessageSeriesResult | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const params = { start, timezone, rrule, excluded_dates: excludedDates, count: 5 };
    const ask = async () => {
      try {
        preview.value = await client.previewMessageSeries(params, { signal });
        error.value = undefined;
      } catch (cause) {
        if (signal.aborted) return;
        preview.value = undefined;
        error.value = reasonOf(cause);
      }
    };
    const timer = setTimeout(() => void ask(), restMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [start, timezone, rrule, excludedDates.join()]);

  if (error.value !== undefined) return <Alert>{error.value}</Alert>;
  const { occurrences = [], warnings = [] } = preview.value ?? {};
  return (
    <section class="rule-preview" aria-label={t.preview} aria-live="polite">
      <h3>{t.preview}</h3>
      {preview.value && occurrences.length === 0 && <p>{t.noOccurrences}</p>}
      <ol>
        {occurrences.map(({ occurrence, scheduled_delivery_timestamp: seconds }) => (
          <li key={occurrence}>
            <time
              dateTime={new Date(seconds * 1_000).toISOString()}
              title={absolute(seconds, style)}
            >
              {compact(seconds, style)}
            </time>{" "}
            <span class="hint">{relative(seconds, now, style)}</span>
          </li>
        ))}
      </ol>
      {warnings.map((warning) => (
        <p key={warning} class="hint">
          {t.warnings[warning]}
        </p>
      ))}
    </section>
  );
}
