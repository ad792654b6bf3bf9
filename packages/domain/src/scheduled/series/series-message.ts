import { parseDate } from "@carillon/calendar";
import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  type Destination,
  isChannelType,
  type MessageType,
  normaliseContent,
  normaliseTopic,
  type Realm,
  type SendingClient,
  scheduledDestination,
  type Site,
} from "@carillon/model";

import { checkMessage } from "../../messages/send/check.ts";
import { isUserInterface } from "../../messages/send/read-by-sender.ts";
import { recipientOf } from "../create.ts";
import { expand } from "./schedule.ts";
import type { SeriesRow } from "./series-row.ts";

/** The message of a series, as a request gives it. */
export interface MessageParameters {
  readonly type?: MessageType | undefined;
  readonly to?: number | readonly number[] | undefined;
  readonly topic?: string | undefined;
  readonly content?: string | undefined;
}

/** The columns of a series that come from its message and author. */
export type SeriesMessage = Pick<
  SeriesRow,
  | "authorId"
  | "authorActive"
  | "recipientId"
  | "channelId"
  | "memberIds"
  | "topic"
  | "content"
  | "clientId"
  | "readBySender"
>;

/** The account that writes the message of a series, and its client program. */
export interface SeriesAuthor {
  readonly actor: Account;
  readonly client: SendingClient;
}

/** Day for which a template is expanded to check it. */
const sampleDay = parseDate("2030-01-01")!;

/**
 * Checks the message of a series as if the account sent it now (once-and-again.md §3.2), and creates its conversation.
 * @param before the series that is edited; undefined for a new one
 * @throws ApiError if the author may not send the message (scheduled-messages.md §0.4)
 */
export async function checkSeriesMessage(
  tx: Tx,
  site: Site,
  realm: Realm,
  { actor, client }: SeriesAuthor,
  given: MessageParameters,
  template: boolean,
  before?: SeriesRow,
): Promise<SeriesMessage> {
  const destination = destinationOf(actor, given, before);
  const topic = given.topic ?? (before && before.channelId !== null ? before.topic : undefined);
  const raw = { topic: topic ?? "", content: given.content ?? before?.content ?? "" };
  const expanded = template ? expand({ ...raw, template, sentCount: 0 }, sampleDay) : raw;
  const { message } = await checkMessage(tx, site, actor, {
    destination,
    topic: topic === undefined ? undefined : expanded.topic,
    topicIsStored: given.topic === undefined && before !== undefined,
    content: expanded.content,
  });
  const toChannel = destination.kind === "channel";
  return {
    authorId: actor.id,
    authorActive: true,
    recipientId: await recipientOf(tx, realm, message),
    channelId: message.target.kind === "channel" ? message.target.channel.id : null,
    memberIds: message.target.kind === "direct" ? [...message.target.members] : null,
    topic: toChannel ? normaliseTopic(topic, realm) : "",
    content: normaliseContent(raw.content),
    clientId: client.id,
    readBySender:
      isUserInterface(client.name) &&
      !(message.target.kind === "direct" && message.target.members.length === 1),
  };
}

/**
 * Returns the given destination, or the earlier one of an edited series. In a direct conversation the new author replaces
 * the earlier author.
 */
function destinationOf(
  actor: Account,
  { type, to, topic }: MessageParameters,
  before: SeriesRow | undefined,
): Destination {
  if (type !== undefined && to === undefined)
    throw errors.badRequest("to is required with type: it names the recipients");
  if (type !== undefined && isChannelType(type) && topic === undefined)
    throw errors.badRequest("topic is required for channel messages");
  if (to !== undefined) {
    const toChannel = type === undefined ? before?.channelId !== null : isChannelType(type);
    return scheduledDestination(toChannel, to);
  }
  if (!before) throw new Error("a new series needs a recipient");
  if (before.channelId !== null) return { kind: "channel", channelId: before.channelId };
  const others = (before.memberIds ?? []).filter((id) => id !== before.authorId);
  return { kind: "direct", userIds: others.length > 0 ? others : [actor.id] };
}
