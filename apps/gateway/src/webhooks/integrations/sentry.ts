import * as z from "zod";

import { linkTo, plain, plainLine, topicText } from "../foreign-text.ts";
import { format, integration, UnsupportedEvent } from "../integration.ts";
import { maybeText } from "../shapes.ts";
import { sentrySignature } from "../signature.ts";

const event = z.object({
  title: z.string(),
  level: z.string().default("error"),
  web_url: maybeText,
  culprit: maybeText,
});

const issue = z.object({
  title: z.string(),
  level: z.string().default("error"),
  web_url: maybeText,
  permalink: maybeText,
  assignedTo: z.object({ name: maybeText }).nullish(),
});

/** Fields that name the event in payloads of Sentry that are not supported. */
const otherKinds = ["error", "comment", "installation", "metric_alert", "description_text"];

const shape = z.object({
  action: maybeText,
  actor: z.object({ name: maybeText }).nullish(),
  data: z.object({
    event: event.optional(),
    issue: issue.optional(),
    ...Object.fromEntries(otherKinds.map((kind) => [kind, z.unknown().optional()])),
  }),
});

type Payload = z.output<typeof shape>;

/** Alerts and issues of an internal integration of Sentry (bot-platform.md §1.4). */
export default integration({
  name: "sentry",
  label: "Sentry",
  events: ["event", "issue"],
  signature: sentrySignature,
  formats: {
    payload: format(shape, (payload) => {
      const { data } = payload;
      if (data.event) {
        const { title, level, web_url: url, culprit } = data.event;
        const place = culprit ? `\n\nin ${plain(culprit)}` : "";
        const content = `❌ **${plain(level)}:** ${linkTo(plain(title), url)}${place}`;
        return [{ event: "event", topic: topicText(title), content }];
      }
      if (!data.issue)
        throw new UnsupportedEvent(otherKinds.find((kind) => kind in data) ?? "unknown");
      const content = aboutIssue(data.issue, payload);
      return content === undefined
        ? []
        : [{ event: "issue", topic: topicText(data.issue.title), content }];
    }),
  },
});

function aboutIssue(
  { title, level, web_url: url, permalink, assignedTo }: z.output<typeof issue>,
  { action, actor }: Payload,
): string | undefined {
  const linked = linkTo(plain(title), url || permalink);
  const who = plainLine(actor?.name || "Sentry");
  switch (action) {
    case "created":
      return `🆕 **${plain(level)}:** ${linked}`;
    case "resolved":
      return `✅ ${who} resolved ${linked}.`;
    case "assigned":
      return `${who} assigned ${linked} to ${plain(assignedTo?.name || "nobody")}.`;
    case "ignored":
    case "archived":
      return `${who} archived ${linked}.`;
    case "unresolved":
      return `${who} reopened ${linked}.`;
    default:
      return undefined;
  }
}
