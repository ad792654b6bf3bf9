import { errors, knowableId, maxId } from "@carillon/contract";
import {
  type IdempotencyKey,
  type LoggedIn,
  reportMissingChannel,
  type SendRequest,
  sendOrEditBatch,
  sendTogether,
  StoredAnswer,
} from "@carillon/domain";

import { keyedBatch } from "../group-commit/keyed-batch.ts";
import { againAfterKeyConflict, keyedTransaction } from "../keyed-transaction.ts";
import { clientOf, type Services } from "../services.ts";
import type { WebhookOutcome } from "./counts.ts";
import type { Integration, WebhookMessage } from "./integration.ts";

/** The destination of the messages of a request. */
export interface WebhookDestination {
  /** A channel's id in digits, or its name; undefined for the bot's owner. */
  readonly stream: string | undefined;
  /** Replaces the topics of the messages. */
  readonly topic: string | undefined;
}

const batch = keyedBatch<SendRequest, unknown>(
  { write: sendOrEditBatch, weigh: ({ input }) => input.content.length },
  () => ({}),
);

/**
 * Sends the messages of a request like `POST /messages`: all or none, and once for a key. Messages with upsert keys are
 * sent one after the other. If that fails between two of them, a repeated request edits those that were sent.
 * @throws ApiError the refusal of a message
 */
export async function sendMessages(
  services: Services,
  bot: LoggedIn,
  { label }: Integration,
  destination: WebhookDestination,
  messages: readonly WebhookMessage[],
  key: IdempotencyKey | undefined,
): Promise<WebhookOutcome> {
  const client = await clientOf(services, bot, `Zulip${label}Webhook`);
  const requests = messages.map((message): SendRequest => {
    const input = inputOf(bot, destination, message);
    return { actor: bot, client, input };
  });
  try {
    if (requests.length > 1 && messages.every(({ upsert }) => !upsert))
      await keyedTransaction(
        services.db,
        key,
        (tx) => sendTogether(tx, services.site, requests),
        () => ({}),
      );
    else
      for (const request of requests) {
        const own = { request, key: request === requests.at(-1) ? key : undefined };
        await againAfterKeyConflict(() => services.group.write(batch, bot, own));
      }
    return "sent";
  } catch (error) {
    if (error instanceof StoredAnswer) return "repeated";
    if (await reportMissingChannel(services, bot, error)) return "no_channel";
    throw error;
  }
}

function inputOf(
  bot: LoggedIn,
  { stream, topic }: WebhookDestination,
  message: WebhookMessage,
): SendRequest["input"] {
  const common = {
    content: message.content,
    readBySender: undefined,
    queueId: undefined,
    localId: undefined,
    upsert: message.upsert,
  };
  if (stream !== undefined)
    return { ...common, type: "stream", to: channelOf(stream), topic: topic ?? message.topic };
  if (bot.botOwnerId === null)
    throw errors.badRequest("The bot has no owner: name a channel with stream");
  return { ...common, type: "direct", to: [bot.botOwnerId], topic: undefined };
}

/** Returns an id for digits, and a name for other texts. */
function channelOf(stream: string): number | string {
  return /^[0-9]+$/.test(stream) ? knowableId(Number(stream), maxId) : stream;
}
