import { type NumberedMessage, type OutgoingMessage, type Realm, memberKey } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";

import { recordPushPlan } from "../../notifications/record-plan.ts";
import { openConversations } from "../../sight/new-conversations.ts";
import { amongAudience, loadReceivers } from "./audience.ts";
import { messageEvent } from "./message-event.ts";
import { loadReceiverFlags } from "./receiver-flags.ts";
import { insertCopies, insertMessages } from "./store-messages.ts";
import { loadUnseen } from "./unseen.ts";
import { touchChannels } from "./touch-channels.ts";
import { raiseVisibility } from "./visibility.ts";

/** A message that has been written. */
export interface SentMessage {
  readonly id: number;
  /** The sender's new policy for the topic, where sending changed it. */
  readonly newVisibilityPolicy?: number;
}

export interface SendResult {
  /** In the order given; undefined for one that had been sent before (its scheduled message's id is taken). */
  readonly sent: ReadonlyArray<SentMessage | undefined>;
  /** For the transaction's one `emit`. */
  readonly events: readonly NewEvent[];
}

/**
 * The one way in which messages come into being (scheduled-messages.md §6, effects): rows, everybody's copies with
 * their flags, topic policies. It works on a whole batch with a fixed number of statements; ids rise in the order given.
 * Who gets what is asked before the rows are written, so that those and the copies go out together; but not where it is
 * to be known first which of the rows are new, who has written in a topic by then, or whom guests see by then.
 */
export async function sendMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<SendResult> {
  if (outgoing.length === 0) return { sent: [], events: [] };
  const isFirst = outgoing.every(isSentOnce);
  const receiving = () =>
    Promise.all([
      loadReceivers(tx, outgoing),
      loadReceiverFlags(tx, realm.id, outgoing),
      loadUnseen(tx, realm, outgoing),
    ]);
  const early =
    isFirst && !realm.restrictsGuests && !outgoing.some(({ rendered }) => rendered.topicWildcard);
  const [{ numbered, shown }, known] = await Promise.all([
    number(tx, realm, outgoing),
    early ? receiving() : undefined,
  ]);
  const inserting = insertMessages(tx, realm.id, numbered);
  const [receivers, flags, unseen] = known ?? (await Promise.all([receiving(), inserting]))[0];
  const inserted = isFirst ? new Set(numbered.map(({ id }) => id)) : await inserting;
  const sent = numbered
    .map((message, i) => ({
      message,
      ...receivers[i]!,
      flags: flags[i]!,
      unseen: unseen.get(i) ?? [],
    }))
    .filter(({ message }) => inserted.has(message.id));
  const copying = insertCopies(tx, sent);
  const events = sent.map(({ message, audience, flags: own, unseen: by }) =>
    messageEvent(realm, message, audience, own, by),
  );
  // Whom a message does not reach, it must not tell of its topic either.
  const heard = sent.map(({ message, audience }) => ({
    ...message,
    mentionedFollowers: amongAudience(audience, message.mentionedFollowers),
  }));
  const pushed = sent.flatMap(({ message, reachable }) => (reachable ? [message] : []));
  const [visibility, woken] = await Promise.all([
    raiseVisibility(tx, heard),
    touchChannels(tx, realm.id, heard),
    inserting,
    copying,
    recordPushPlan(tx, realm.id, pushed),
  ]);
  const policies = new Map(heard.map(({ id }, i) => [id, visibility.policies[i]]));
  return {
    sent: numbered.map(({ id }) =>
      inserted.has(id) ? sentMessage(id, policies.get(id)) : undefined,
    ),
    events: [...shown, ...woken, ...events, ...visibility.events],
  };
}

/** Whether it cannot have been sent before: only what was scheduled can. */
function isSentOnce({ scheduledMessageId }: OutgoingMessage): boolean {
  return scheduledMessageId === undefined;
}

function sentMessage(id: number, policy: number | undefined): SentMessage {
  return policy === undefined ? { id } : { id, newVisibilityPolicy: policy };
}

const allocate = statement({
  name: "message-ids",
  text: `SELECT nextval('messages_id_seq') AS id, extract(epoch FROM now())::float8 AS "sentAt"
    FROM generate_series(1, $1::int)`,
  row: { id: column.bigint, sentAt: column.float },
});

/** Gives every message its id, the time of the transaction, and the row of its conversation. */
async function number(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<{ numbered: NumberedMessage[]; shown: readonly NewEvent[] }> {
  const conversations = outgoing.flatMap(({ target }) =>
    target.kind === "direct" ? [target] : [],
  );
  const [ids, { ids: directs, events: shown }] = await Promise.all([
    tx.rows(allocate, [outgoing.length]),
    openConversations(tx, realm, conversations),
  ]);
  const numbered = outgoing.map((message, i) => {
    const { target } = message;
    const recipientId =
      target.kind === "channel"
        ? target.channel.recipientId
        : directs.get(memberKey(target.members));
    const numbers = ids[i];
    if (!numbers || recipientId === undefined) throw new Error("a message without id or recipient");
    return { ...message, ...numbers, recipientId };
  });
  return { numbered, shown };
}
