import { z } from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Bytes of a payload. */
const maxPayload = 2 * 1024 * 1024;

/** Names of branches, or patterns of events. */
const maxNames = 100;

const patterns = () =>
  form.json(z.array(z.string().max(maxNames)), { maxItems: { count: maxNames, of: "patterns" } });

/** `POST /external/{integration}` (bot-platform.md §1). */
export const receiveWebhook = operation({
  id: "receive-webhook",
  method: "POST",
  path: "/api/v1/external/{integration}",
  access: "account",
  webhookBots: true,
  takesPayload: true,
  bodyLimit: maxPayload,
  summary: "Receive a webhook",
  example: {
    as: "bot",
    path: { integration: "slack_incoming" },
    params: { stream: "general", topic: "deployments" },
    headers: { "Content-Type": "application/json" },
    bytes: '{"text": "The build of *main* has passed."}',
  },
  description:
    "Another program posts its payload, and the bot sends messages about it. The integrations and their messages are described in [Integrations](../integrations.md).",
  pathParams: { integration: path.text() },
  params: {
    api_key: form
      .text()
      .optional()
      .describe("The API key of a bot, if the request has no HTTP Basic credentials."),
    stream: form
      .text()
      .optional()
      .describe(
        "A channel, by its ID in digits or by its name. Without it, the bot's owner gets direct messages.",
      ),
    topic: form.text().optional().describe("Replaces the topic that the integration chooses."),
    only_events: patterns()
      .optional()
      .describe(
        "Events to send messages about: names in which `*` stands for any characters and `?` for one.",
      ),
    exclude_events: patterns()
      .optional()
      .describe("Events to send no messages about, in the same form."),
    branches: form
      .text()
      .optional()
      .describe("Names of branches with commas between them, for pushes of `github` and `gitlab`."),
    name: form
      .text()
      .default("instance")
      .describe("The label of alerts that is their topic, for `alertmanager`."),
    desc: form
      .text()
      .default("alertname")
      .describe("The label of alerts that the message names, for `alertmanager`."),
    edit_resolved: form
      .bool()
      .default(false)
      .describe(
        "Whether each alert is a message of its own, which is edited when the alert is resolved, for `alertmanager` and `grafana`.",
      ),
    payload: form
      .text({ anyText: true, maxLength: maxPayload })
      .optional()
      .describe("The payload as JSON, in a body that is a form."),
    content: form
      .text({ anyText: true, maxLength: maxPayload })
      .optional()
      .describe("The message, for `text` in a body that is a form."),
  },
  errors: [
    "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
    "MISSING_HTTP_EVENT_HEADER",
    "IDEMPOTENCY_KEY_IN_USE",
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  ],
});
