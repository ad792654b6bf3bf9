import { ApiError } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import type { Logger } from "@carillon/kit";

import { tellBotOwner, type BotTrouble } from "../notices/bot-trouble.ts";
import { loadRealm } from "../realms/realm.ts";
import { isChannelType, type MessageType } from "../scheduled/destination.ts";
import type { SendingClient } from "../scheduled/create.ts";
import type { Site } from "../site.ts";
import type { Account } from "../users/account.ts";
import { checkMessage } from "./check.ts";
import { isUserInterface } from "./read-by-sender.ts";
import { sendDestination, type SendTo } from "./send-destination.ts";
import { sendMessages, type SentMessage } from "./send.ts";

export interface SendInput {
  readonly type: MessageType;
  readonly to: SendTo | undefined;
  readonly topic: string | undefined;
  readonly content: string;
  readonly readBySender: boolean | undefined;
  /** Local echo; both or nothing. */
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
}

/**
 * Sends a message now (scheduled-messages.md §6), in a transaction; a bot's owner hears of it in another one when
 * nobody listens where the bot posts.
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function sendNow(
  { db, site, log }: { db: Database; site: Site; log: Logger },
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  let trouble: BotTrouble | undefined;
  try {
    return await db.transaction(async (tx) => {
      const { sent, deserted } = await send(tx, site, actor, client, input);
      if (deserted !== undefined) trouble = { channel: deserted, what: "without subscribers" };
      return sent;
    });
  } catch (error) {
    const channel = missingChannel(error);
    if (channel !== undefined) trouble = { channel, what: "missing" };
    throw error;
  } finally {
    const found = trouble;
    if (found && actor.isBot)
      await db
        .transaction((tx) => tellBotOwner(tx, site, actor, found))
        .catch((error: unknown) =>
          log.error({ err: error, bot: actor.id }, "a bot's owner could not be told"),
        );
  }
}

/** The name or id of the channel that an error says does not exist. */
function missingChannel(error: unknown): string | number | undefined {
  if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") return undefined;
  const { stream, stream_id: id } = error.fields as { stream?: string; stream_id?: number };
  return stream ?? id;
}

/** @returns the message, and the name of its channel where that has no subscribers */
async function send(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<{ sent: SentMessage; deserted: string | undefined }> {
  const realm = await loadRealm(tx, actor.realmId);
  const message = await checkMessage(tx, site, realm, actor, {
    destination: await sendDestination(tx, actor, isChannelType(input.type), input.to),
    topic: input.topic,
    content: input.content,
  });
  const { queueId, localId } = input;
  const { sent, events } = await sendMessages(tx, realm, [
    {
      ...message,
      clientId: client.id,
      clientName: client.name,
      readBySender: input.readBySender ?? isUserInterface(client.name),
      ...(queueId !== undefined && localId !== undefined ? { local: { queueId, localId } } : {}),
    },
  ]);
  emit(tx, realm.id, events);
  const { target } = message;
  const deserted =
    target.kind === "channel" && target.channel.subscriberCount === 0
      ? target.channel.name
      : undefined;
  return { sent: sent[0]!, deserted };
}
