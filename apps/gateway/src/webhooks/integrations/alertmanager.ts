import * as z from "zod";

import { linkTo, plain, topicText } from "../foreign-text.ts";
import {
  counted,
  format,
  integration,
  type WebhookMessage,
  type WebhookParameters,
} from "../integration.ts";
import { alertKey, alertStatus, maxAlerts, statusMarks } from "../alerts.ts";
import { listOf, maybeText, texts } from "../shapes.ts";
import { editResolved } from "../url-options.ts";

const alert = z.object({
  status: alertStatus,
  labels: texts,
  annotations: texts.default({}),
  generatorURL: maybeText,
  fingerprint: maybeText,
  startsAt: maybeText,
});

type Alert = z.output<typeof alert>;

/** Alerts of the Alertmanager of Prometheus, grouped by their topic (bot-platform.md §1.4). */
export default integration({
  name: "alertmanager",
  label: "AlertManager",
  events: ["firing", "resolved"],
  urlOptions: [
    { key: "name", label: "Alert label to use as the topic", validator: "check_string" },
    { key: "desc", label: "Alert label to use as the description", validator: "check_string" },
    editResolved,
  ],
  formats: {
    payload: format(z.object({ alerts: listOf(alert, maxAlerts) }), ({ alerts }, parameters) =>
      parameters.editResolved
        ? alerts.map((one) => messageAbout([one], parameters, alertKey(one)))
        : groups(alerts, parameters).map((group) => messageAbout(group, parameters)),
    ),
  },
});

/** Groups alerts by status, firing ones first, and topic. */
function groups(alerts: readonly Alert[], parameters: WebhookParameters): Alert[][] {
  return (["firing", "resolved"] as const).flatMap((status) => {
    const byTopic = new Map<string, Alert[]>();
    for (const one of alerts) {
      if (one.status !== status) continue;
      const topic = topicOf(one, parameters);
      const known = byTopic.get(topic);
      if (known) known.push(one);
      else byTopic.set(topic, [one]);
    }
    return [...byTopic.values()];
  });
}

function messageAbout(
  alerts: readonly Alert[],
  parameters: WebhookParameters,
  upsert?: WebhookMessage["upsert"],
): WebhookMessage {
  const [first] = alerts as readonly [Alert, ...Alert[]];
  const { mark, word } = statusMarks[first.status];
  const content =
    alerts.length === 1
      ? `${mark} **${word}:** ${described(first, parameters)}`
      : `${mark} **${word}: ${counted(alerts.length, "alert")}**\n\n${listed(alerts, parameters)}`;
  const topic = topicOf(first, parameters);
  return { event: first.status, topic, content, ...(upsert && { upsert }) };
}

function listed(alerts: readonly Alert[], parameters: WebhookParameters): string {
  return alerts.map((one) => `* ${described(one, parameters)}`).join("\n");
}

function topicOf(one: Alert, { name }: WebhookParameters): string {
  return topicText(labelOf(one, name)) || unknown;
}

function described(one: Alert, { desc }: WebhookParameters): string {
  const linked = linkTo(plain(labelOf(one, desc)) || unknown, one.generatorURL);
  const detail = plain(one.annotations["summary"] || one.annotations["description"] || "");
  return detail === "" ? linked : `${linked} — ${detail}`;
}

const unknown = "(unknown)";

/** Returns a label of the alert, else its annotation of that name. */
function labelOf({ labels, annotations }: Alert, name: string): string {
  const own = (of: Readonly<Record<string, string>>) => (Object.hasOwn(of, name) ? of[name] : "");
  return own(labels) || own(annotations) || unknown;
}
