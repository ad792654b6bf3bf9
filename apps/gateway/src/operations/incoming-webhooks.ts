import * as contract from "@carillon/contract";
import { type IdempotencyKey, type LoggedIn, reportToOwner } from "@carillon/domain";
import { systemClock } from "@carillon/kit";

import { handle } from "../handle.ts";
import { largePayloadSemaphore } from "../http/account-semaphore.ts";
import type { BeforePayload, HandlerContext } from "../http/handler.ts";
import type { PayloadBody } from "../http/payload.ts";
import type { Services } from "../services.ts";
import type { WebhookOutcome } from "../webhooks/counts.ts";
import { decodePayload } from "../webhooks/decode-payload.ts";
import { deliveryKey } from "../webhooks/delivery-key.ts";
import {
  type Integration,
  UnsupportedEvent,
  type WebhookMessage,
} from "../webhooks/integration.ts";
import { integrations } from "../webhooks/load-integrations.ts";
import { readMessages } from "../webhooks/read-messages.ts";
import { sendMessages } from "../webhooks/send-messages.ts";
import { standardWebhooks } from "../webhooks/signature.ts";

type Context = HandlerContext<typeof contract.receiveWebhook, Services, LoggedIn>;

/** Receives payloads of other programs (bot-platform.md §1). */
export default {
  ...handle.inSteps(contract.receiveWebhook, async (context) => {
    const integration = integrationOf(context.path);
    const count = (outcome: WebhookOutcome) =>
      context.services.webhooks.add(integration.name, outcome);
    try {
      count(await receive(integration, context));
      return integration.answer ?? {};
    } catch (error) {
      if (error instanceof UnsupportedEvent) {
        count("unsupported");
        throw contract.errors.unsupportedWebhookEvent(integration.label, error.event);
      }
      if (error instanceof contract.ApiError) count("refused");
      throw error;
    }
  }),

  isServed: (path: object) => integrations.has((path as Context["path"]).integration),

  beforePayload: ({ path, actor, services, headers, bytes }: BeforePayload<Services>) => {
    const integration = integrationOf(path as Context["path"]);
    // `authenticate` of the app has found this account.
    const { webhookSecretSealed: sealed } = actor as LoggedIn;
    if (!sealed) return;
    const secret = services.site.secrets.open(sealed);
    const { signature: isSigned = standardWebhooks } = integration;
    if (isSigned({ headers, bytes, secret, now: systemClock.now() })) return;
    services.webhooks.add(integration.name, "refused");
    throw contract.errors.badSignature();
  },
};

function integrationOf({ integration: name }: Context["path"]): Integration {
  const found = integrations.get(name);
  if (!found) throw contract.errors.notFound();
  return found;
}

/** Maximum characters of the name of an event, which is compared with patterns. */
const maxEventName = 100;

async function receive(integration: Integration, context: Context): Promise<WebhookOutcome> {
  const { input, payload: body, actor, services } = context;
  if (!body) throw new Error("the operation is declared with takesPayload");
  const size = body.bytes.length;
  const release =
    size < largePayload
      ? undefined
      : await largePayloadSemaphore.acquire(actor.id, context.deadline);
  let read: ReadRequest;
  try {
    read = await readRequest(integration, context, body);
  } finally {
    release?.();
  }
  const { messages, key } = read;
  if (messages.length === 0) return "nothing";
  return sendMessages(services, actor, integration, input, messages, key);
}

/** Bytes from which on a payload waits for others to be parsed. */
const largePayload = 64 * 1024;

interface ReadRequest {
  readonly messages: readonly WebhookMessage[];
  readonly key: IdempotencyKey | undefined;
}

async function readRequest(
  integration: Integration,
  context: Context,
  body: PayloadBody,
): Promise<ReadRequest> {
  const { input, headers, actor } = context;
  const { event, payload } = await reportingUnreadable(integration, context, async () => ({
    event: eventOf(integration, headers),
    payload: await decodePayload(integration, body, input),
  }));
  const key = deliveryKey(headers, actor.id);
  const messages = await reportingUnreadable(integration, context, async () =>
    readMessages(integration, {
      event,
      payload,
      filter: { only: input.only_events, exclude: input.exclude_events },
      parameters: {
        branches: input.branches?.split(",").map((branch) => branch.trim()),
        name: input.name,
        desc: input.desc,
        editResolved: input.edit_resolved,
      },
    }),
  );
  return { messages, key };
}

/**
 * Returns the event that a header of the request names; undefined for an integration without such a header.
 * @throws ApiError `MISSING_HTTP_EVENT_HEADER`
 */
function eventOf({ eventHeader }: Integration, headers: Context["headers"]): string | undefined {
  if (eventHeader === undefined) return undefined;
  const event = headers[eventHeader.toLowerCase()];
  if (typeof event !== "string" || event === "")
    throw contract.errors.missingEventHeader(eventHeader);
  return event.slice(0, maxEventName);
}

/** Runs `work`, and notifies the bot's owner of a request that is refused for its payload (bot-platform.md §1.2). */
async function reportingUnreadable<T>(
  { label }: Integration,
  { actor, services }: Pick<Context, "actor" | "services">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof contract.ApiError) {
      const { message: reason } = error;
      await reportToOwner(services, actor, {
        what: "unreadable webhook",
        integration: label,
        reason,
      });
    }
    throw error;
  }
}
