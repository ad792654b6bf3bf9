import * as z from "zod";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Maximum bytes of a payload. */
const maxPayload = 2 * 1024 * 1024;

/** Maximum patterns of events, and maximum characters of each. */
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
        "Names of events to send messages about. `*` stands for any characters, `?` for one.",
      ),
    exclude_events: patterns()
      .optional()
      .describe("Names of events to send no messages about, with the same wildcards."),
    branches: form
      .text()
      .optional()
      .describe(
        "For `github` and `gitlab`: names of branches whose pushes are shown, separated by commas.",
      ),
    name: form
      .text()
      .default("instance")
      .describe("For `alertmanager`: the alert label to use as the topic."),
    desc: form
      .text()
      .default("alertname")
      .describe("For `alertmanager`: the alert label to use as the description."),
    edit_resolved: form
      .bool()
      .default(false)
      .describe(
        "For `alertmanager` and `grafana`: whether each alert has a separate message, which is edited when the alert is resolved.",
      ),
    payload: form
      .text({ anyText: true, maxLength: maxPayload })
      .optional()
      .describe("In a form body: the payload as JSON."),
    content: form
      .text({ anyText: true, maxLength: maxPayload })
      .optional()
      .describe("In a form body, for `text`: the message."),
  },
  result: {
    ok: z
      .literal(true)
      .optional()
      .describe("For `slack_incoming` only: senders of Slack's format look for it."),
  },
  errors: [
    "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
    "MISSING_HTTP_EVENT_HEADER",
    "IDEMPOTENCY_KEY_IN_USE",
    "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
    "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  ],
});
