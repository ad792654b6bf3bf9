import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

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
 * Sends a message now (scheduled-messages.md §6).
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function sendNow(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  const realm = await loadRealm(tx, actor.realmId);
  const message = await checkMessage(tx, site, realm, {
    senderId: actor.id,
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
  await emit(tx, realm.id, events);
  return sent[0]!;
}
