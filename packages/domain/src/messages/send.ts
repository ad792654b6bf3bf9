import type { Sql, Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/events";

import type { Realm } from "../realms/realm.ts";
import { amongAudience, loadAudiences } from "./audience.ts";
import { messageEvent } from "./message-event.ts";
import type { NumberedMessage, OutgoingMessage } from "./outgoing.ts";
import { loadReceiverFlags } from "./receiver-flags.ts";
import { ensureDirectRecipients, memberKey, type Members } from "./recipients.ts";
import { insertCopies, insertMessages, touchChannels } from "./store-messages.ts";
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

/** For a sender of batches that overlap in time; see `deliver-all`. */
export interface SendingTurn {
  /** Topics known to have a message: they need not be asked for again. */
  readonly begun: Set<string>;
  /** Called once ids and conversations are settled: the next batch may begin. */
  readonly settled: () => void;
  /** Resolves when it is this batch's turn to write what batches share: policies, channels, and after it the events. */
  readonly turn: () => Promise<void>;
}

const alone = (): SendingTurn => ({
  begun: new Set(),
  settled: () => {},
  turn: () => Promise.resolve(),
});

/**
 * The one way in which messages come into being (scheduled-messages.md §6, effects): rows, everybody's copies with
 * their flags, topic policies. It works on a whole batch with a fixed number of statements; ids rise in the order given.
 */
export async function sendMessages(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
  { begun, settled, turn }: SendingTurn = alone(),
): Promise<SendResult> {
  const numbered = outgoing.length > 0 ? await number(tx, realm, outgoing) : [];
  settled();
  if (outgoing.length === 0) {
    await turn();
    return { sent: [], events: [] };
  }
  const inserted = await insertMessages(tx, realm.id, numbered);
  const messages = numbered.filter(({ id }) => inserted.has(id));
  const audiences = await loadAudiences(tx, messages);
  const flags = await loadReceiverFlags(tx, realm.id, messages);
  const copies = messages.map(({ id }, i) => ({
    id,
    audience: audiences[i] ?? "{}",
    flags: flags[i] ?? { all: 0, byUser: new Map<number, number>() },
  }));
  await insertCopies(tx, copies);
  const events = messages.map((message, i) =>
    messageEvent(realm, message, copies[i]!.audience, copies[i]!.flags),
  );
  await turn();
  await touchChannels(tx, messages);
  // Whom a message does not reach, it must not tell of its topic either.
  const heard = messages.map((message, i) => ({
    ...message,
    mentionedFollowers: amongAudience(audiences[i] ?? "{}", message.mentionedFollowers),
  }));
  const visibility = await raiseVisibility(tx, heard, begun);
  const policies = new Map(messages.map(({ id }, i) => [id, visibility.policies[i]]));
  return {
    sent: numbered.map(({ id }) =>
      inserted.has(id) ? sentMessage(id, policies.get(id)) : undefined,
    ),
    events: [...events, ...visibility.events],
  };
}

function sentMessage(id: number, policy: number | undefined): SentMessage {
  return policy === undefined ? { id } : { id, newVisibilityPolicy: policy };
}

const allocate = {
  name: "message-ids",
  text: `SELECT nextval('messages_id_seq') AS id, extract(epoch FROM now())::float8 AS "sentAt"
    FROM generate_series(1, $1::int)`,
};

/** Gives every message its id, the time of the transaction, and the row of its conversation. */
async function number(
  sql: Sql,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<NumberedMessage[]> {
  const conversations = outgoing.flatMap<Members>(({ target }) =>
    target.kind === "direct" ? [target.members] : [],
  );
  const directs = await ensureDirectRecipients(sql, realm.id, conversations);
  const ids = await sql.rows<{ id: number; sentAt: number }>(allocate, [outgoing.length]);
  return outgoing.map((message, i) => {
    const { target } = message;
    const recipientId =
      target.kind === "channel"
        ? target.channel.recipientId
        : directs.get(memberKey(target.members));
    const numbers = ids[i];
    if (!numbers || recipientId === undefined) throw new Error("a message without id or recipient");
    return { ...message, ...numbers, recipientId };
  });
}
