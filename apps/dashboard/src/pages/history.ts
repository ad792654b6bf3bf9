import { html, type HtmlValue } from "@carillon/kit";
import { historySpans, type HistorySpan, type HistoryStep } from "../history/read.ts";
import { latenessBounds } from "../readings/verdict.ts";
import { chart } from "./chart.ts";
import type { Page } from "./layout.ts";
import { seconds } from "../spans.ts";

export type History = Readonly<Record<HistorySpan, readonly HistoryStep[]>>;

const refreshSeconds = 60;

/** Shows throughput, failures and latency. */
export function historyPage(history: History): Page {
  return {
    title: "History",
    refresh: refreshSeconds,
    body: [
      html`<p class="soft">
        Scheduled messages and reminders. Lateness is from the time that a message was scheduled for
        to the end of its delivery. The limits are ${latenessBounds.p95} s for the 95th percentile
        and ${latenessBounds.worst} s for the worst.
      </p>`,
      ...(["day", "month"] as const).map((span) => spanCharts(span, history[span])),
    ],
  };
}

function spanCharts(span: HistorySpan, steps: readonly HistoryStep[]): HtmlValue {
  const { title } = historySpans[span];
  const at = steps.map((step) => step.at);
  const of = (name: "sent" | "failed" | "median" | "p95" | "worst") =>
    steps.map((step) => step[name]);
  return [
    html`<h2>The last ${title}</h2>`,
    chart({
      title: `Sent and failed, ${title}`,
      at,
      series: [
        { name: "Sent", as: "bar", ink: "calm", values: of("sent") },
        { name: "Failed", as: "bar", ink: "loud", values: of("failed") },
      ],
      format: (value) => value.toLocaleString("en"),
    }),
    chart({
      title: `Lateness, ${title}`,
      at,
      series: [
        { name: "95th percentile (p95)", as: "bar", ink: "second", values: of("p95") },
        { name: "Median", as: "line", ink: "first", values: of("median") },
        { name: "Worst", as: "line", ink: "third", values: of("worst") },
      ],
      format: seconds,
    }),
  ];
}
