import {
  type Account,
  type MessageType,
  type SendingClient,
  type Site,
  channelsOf,
  holdAudiences,
  isChannelType,
} from "@carillon/model";
import { ApiError } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import type { Logger } from "@carillon/kit";

import { tellBotOwner } from "./bot-trouble.ts";
import { checkMessage } from "./check.ts";
import { isUserInterface } from "./read-by-sender.ts";
import { sendDestination, type SendTo } from "./send-destination.ts";
import { sendChecked } from "./send-checked.ts";
import type { SentMessage } from "./send.ts";

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
 * Sends a message now (scheduled-messages.md §6), in a transaction; a bot's owner hears of a channel that does not exist
 * in another one, which outlives the refusal.
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function sendNow(
  { db, site, log }: { db: Database; site: Site; log: Logger },
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  try {
    return await db.transaction((tx) => send(tx, site, actor, client, input));
  } catch (error) {
    const channel = missingChannel(error);
    if (actor.isBot && channel !== undefined)
      await db
        .transaction((tx) => tellBotOwner(tx, actor, { channel, what: "missing" }))
        .catch((failure: unknown) =>
          log.error({ err: failure, bot: actor.id }, "a bot's owner could not be told"),
        );
    throw error;
  }
}

/** The name or id of the channel that an error says does not exist. */
function missingChannel(error: unknown): string | number | undefined {
  if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") return undefined;
  const { stream, stream_id: id } = error.fields as { stream?: string; stream_id?: number };
  return stream ?? id;
}

async function send(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  const destination = await sendDestination(tx, actor, isChannelType(input.type), input.to);
  const [, { realm, message }] = await Promise.all([
    holdAudiences(tx, channelsOf([destination]), [actor.id]),
    checkMessage(tx, site, actor, { destination, topic: input.topic, content: input.content }),
  ]);
  const { queueId, localId } = input;
  const { sent, events } = await sendChecked(tx, realm, [
    {
      ...message,
      clientId: client.id,
      clientName: client.name,
      readBySender: input.readBySender ?? isUserInterface(client.name),
      ...(queueId !== undefined && localId !== undefined ? { local: { queueId, localId } } : {}),
    },
  ]);
  emit(tx, realm.id, events);
  return sent[0]!;
}
