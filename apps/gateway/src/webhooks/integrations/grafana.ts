import * as z from "zod";

import { alertKey, alertStatus, sortedEntries, statusMarks } from "../alerts.ts";
import { link, linkTo, plain, plainLine, topicText } from "../foreign-text.ts";
import { format, integration, type WebhookMessage } from "../integration.ts";
import { maxMessages } from "../limits.ts";
import { listOf, maybeText, namesWith, texts } from "../shapes.ts";
import { editResolved } from "../url-options.ts";

const alert = z.object({
  status: alertStatus,
  labels: texts,
  annotations: texts.nullish(),
  values: namesWith(z.unknown()).nullish(),
  fingerprint: z.string().default("alert"),
  startsAt: maybeText,
  generatorURL: maybeText,
  dashboardURL: maybeText,
  panelURL: maybeText,
  silenceURL: maybeText,
});

type Alert = z.output<typeof alert>;

/** Lines with labels and values of one alert. */
const maxLines = 20;

/** Alerts of Grafana, each a message (bot-platform.md §1.4). */
export default integration({
  name: "grafana",
  label: "Grafana",
  events: ["firing", "resolved"],
  urlOptions: [editResolved],
  formats: {
    payload: format(z.object({ alerts: listOf(alert, maxMessages) }), ({ alerts }, parameters) =>
      alerts.map((one) => ({
        ...messageAbout(one),
        ...(parameters.editResolved && { upsert: alertKey(one) }),
      })),
    ),
  },
});

function messageAbout(one: Alert): WebhookMessage {
  const { labels, annotations, values, generatorURL: generator } = one;
  const name = labels["alertname"] || one.fingerprint;
  const { mark, word } = statusMarks[one.status];
  const lines = [
    ...sortedEntries(labels)
      .filter(([label]) => label !== "alertname" && label !== "grafana_folder")
      .map(([label, value]) => `* ${plainLine(label)}: ${plain(value)}`),
    ...sortedEntries(values ?? {}).map(
      ([ref, value]) => `* ${plainLine(ref)} = ${plain(shown(value))}`,
    ),
  ];
  const links = [
    ["Dashboard", one.dashboardURL],
    ["Panel", one.panelURL],
    ["Silence", one.silenceURL],
  ] as const;
  const parts = [
    `${mark} **${word}:** ${link(name, generator)}`,
    plainLine(annotations?.["summary"] || annotations?.["description"] || ""),
    lines.slice(0, maxLines).join("\n"),
    links.flatMap(([label, url]) => (url ? [linkTo(label, url)] : [])).join(" · "),
  ];
  return {
    event: one.status,
    topic: topicText(`[${name}]`),
    content: parts.filter((part) => part !== "").join("\n\n"),
  };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
