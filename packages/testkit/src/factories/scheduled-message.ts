import { createHash } from "node:crypto";
import type { Database, Prisma } from "@carillon/db";
import { clientIdOf } from "@carillon/model";
import type { TestChannel } from "./channel.ts";
import { idOf, type IdOrRow } from "./channel.ts";
import { unique } from "./unique.ts";

export interface ScheduledOverrides {
  readonly topic?: string;
  readonly content?: string;
  /** Whole seconds from the database's now, rounded down; negative is overdue. Default: an hour. */
  readonly dueIn?: number;
  /** Name of the client. */
  readonly client?: string;
  /** Any column, written last: `{ failed: true, failureMessage: "…" }`, `{ version: 3 }`, `{ kind: 2, … }`. */
  readonly row?: Prisma.ScheduledMessageUncheckedUpdateInput;
}

/** A row of `scheduled_messages`. */
export interface TestScheduledMessage {
  readonly id: number;
  readonly content: string;
  readonly topic: string;
  readonly channelId: number | null;
  readonly recipientId: number;
  /** UNIX seconds, with a fraction. */
  readonly deliverAt: number;
}

/**
 * Creates a scheduled message as a row only, without checks, events or a delivery job, for states that no operation
 * creates; use the gateway to schedule messages otherwise.
 * @param to a channel of the factory, or the other participants of a direct conversation
 */
export async function scheduledMessage(
  db: Database,
  sender: { readonly id: number; readonly realmId: number },
  to: TestChannel | readonly IdOrRow[],
  overrides: ScheduledOverrides = {},
): Promise<TestScheduledMessage> {
  const { content = unique("content"), dueIn = 3_600, client = "test", row } = overrides;
  const inChannel = "recipientId" in to;
  const channelId = inChannel ? to.id : null;
  const topic = inChannel ? (overrides.topic ?? unique("topic")) : "";
  const recipientId = inChannel
    ? to.recipientId
    : await directRecipient(db, sender.realmId, [sender, ...to]);
  const [made] = await db.rows<{ id: number }>(
    `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content,
       rendered_content, client_id, deliver_at, read_by_sender)
     VALUES ($1, $2, $3, $4, $5, $6, '<p>' || $6 || '</p>', $7, date_trunc('second', now()) + make_interval(secs => $8), false)
     RETURNING id`,
    [
      sender.realmId,
      sender.id,
      recipientId,
      channelId,
      topic,
      content,
      await clientIdOf(db, client),
      dueIn,
    ],
  );
  const id = made?.id ?? 0;
  if (row) await db.prisma.scheduledMessage.update({ where: { id }, data: row });
  const [stored] = await db.rows<TestScheduledMessage>(
    `SELECT id, content, topic, channel_id AS "channelId", recipient_id AS "recipientId",
       extract(epoch FROM deliver_at)::float8 AS "deliverAt" FROM scheduled_messages WHERE id = $1`,
    [id],
  );
  if (!stored) throw new Error("the scheduled message was not stored");
  return stored;
}

/** Changes when a scheduled message is due: tests move rows instead of clocks. */
export async function makeDue(db: Database, id: number, dueIn = -1): Promise<void> {
  await db.rows(
    "UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) + make_interval(secs => $2) WHERE id = $1",
    [id, dueIn],
  );
}

/** Returns the recipient of a direct conversation; creates it if necessary. */
export async function directRecipient(
  db: Database,
  realmId: number,
  participants: readonly IdOrRow[],
): Promise<number> {
  const ids = [...new Set(participants.map(idOf))].sort((a, b) => a - b);
  const hash = createHash("sha256").update(ids.join(",")).digest();
  const [row] = await db.rows<{ id: number }>(
    `INSERT INTO recipients (realm_id, member_ids, member_hash) VALUES ($1, $2, $3)
     ON CONFLICT (realm_id, member_hash) DO UPDATE SET member_ids = excluded.member_ids RETURNING id`,
    [realmId, ids, hash],
  );
  return row?.id ?? 0;
}
