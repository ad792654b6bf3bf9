import {
  column,
  composed,
  messageIdAt,
  messageIdSlackMs,
  pending,
  undelivered,
  type Composition,
  type Sql,
} from "@carillon/db";
import type { AccountView, ChannelView } from "./find-places.ts";

/** What narrows the search: accounts, channels, a span of UNIX seconds; at least one is given. */
export interface Where {
  readonly accounts?: readonly Pick<AccountView, "id">[];
  readonly channels?: readonly Pick<ChannelView, "id" | "recipientId" | "realmId">[];
  readonly span?: readonly [from: number, to: number];
}

/** Shown of each: those to come, those that failed, those that were sent. */
const most = 50;
/** Rows that are looked at for them, along an index, where that does not have all that is asked for. */
const looked = 10_000;

const idRow = { id: column.bigint };

class Values {
  readonly list: unknown[] = [];
  add(value: unknown, type: string): string {
    return `$${this.list.push(value)}::${type}`;
  }
}

const ids = (rows: readonly { readonly id: number }[] | undefined) => rows?.map(({ id }) => id);

/** By account they are found with those that failed; else those only that are to be sent, which have indexes. */
function composeWaiting({ accounts, channels, span }: Where): Composition {
  const values = new Values();
  const parts = [accounts ? undelivered("s") : pending("s")];
  if (accounts) parts.push(`s.sender_id = ANY(${values.add(ids(accounts), "int[]")})`);
  else if (channels)
    parts.push(
      `s.realm_id = ANY(${values.add(
        channels.map(({ realmId }) => realmId),
        "int[]",
      )})`,
    );
  if (span) {
    const [from, to] = span.map((time) => `to_timestamp(${values.add(time, "float8")})`);
    parts.push(`s.deliver_at BETWEEN ${from} AND ${to}`);
  }
  const rest = channels ? `channel_id = ANY(${values.add(ids(channels), "int[]")})` : "true";
  return {
    text: `SELECT id FROM (SELECT s.id, s.channel_id, s.deliver_at FROM scheduled_messages s
        WHERE ${parts.join(" AND ")} ORDER BY s.deliver_at LIMIT ${looked}) s
      WHERE ${rest} ORDER BY deliver_at, id LIMIT ${most}`,
    values: values.list,
  };
}

function composeFailed({ accounts, channels, span }: Where): Composition {
  const values = new Values();
  const parts = ["true"];
  if (accounts) parts.push(`f.sender_id = ANY(${values.add(ids(accounts), "int[]")})`);
  if (channels) parts.push(`f.channel_id = ANY(${values.add(ids(channels), "int[]")})`);
  if (span) {
    const [from, to] = span.map((time) => `to_timestamp(${values.add(time, "float8")})`);
    parts.push(`f.failed_at BETWEEN ${from} AND ${to}`);
  }
  return {
    text: `SELECT f.scheduled_message_id AS id FROM delivery_failures f
      WHERE ${parts.join(" AND ")} ORDER BY f.failed_at DESC, f.id DESC LIMIT ${most}`,
    values: values.list,
  };
}

/** @param bounds the ids among which those of the span are */
function composeSent(
  { accounts, channels, span }: Where,
  bounds: readonly [number, number] | undefined,
): Composition {
  const values = new Values();
  const parts = ["true"];
  if (accounts) parts.push(`m.sender_id = ANY(${values.add(ids(accounts), "int[]")})`);
  else if (channels)
    parts.push(
      `m.recipient_id = ANY(${values.add(
        channels.map(({ recipientId }) => recipientId),
        "int[]",
      )})`,
    );
  if (bounds) {
    const [low, high] = bounds.map((id) => values.add(id, "bigint"));
    parts.push(`m.id >= ${low} AND m.id < ${high}`);
  }
  const rest = ["m.scheduled_message_id IS NOT NULL"];
  if (accounts && channels)
    rest.push(
      `m.recipient_id = ANY(${values.add(
        channels.map(({ recipientId }) => recipientId),
        "int[]",
      )})`,
    );
  if (span) {
    const [from, to] = span.map((time) => `to_timestamp(${values.add(time, "float8")})`);
    rest.push(`m.sent_at BETWEEN ${from} AND ${to}`);
  }
  return {
    text: `SELECT m.scheduled_message_id AS id FROM (SELECT m.id, m.scheduled_message_id, m.recipient_id, m.sent_at
        FROM messages m WHERE ${parts.join(" AND ")} ORDER BY m.id DESC LIMIT ${looked}) m
      WHERE ${rest.join(" AND ")} ORDER BY m.id DESC LIMIT ${most}`,
    values: values.list,
  };
}

const exampleWheres: readonly Where[] = [
  { accounts: [{ id: 1 }] },
  { channels: [{ id: 1, recipientId: 1, realmId: 1 }] },
  { span: [1, 2] },
  { accounts: [{ id: 1 }], channels: [{ id: 1, recipientId: 1, realmId: 1 }], span: [1, 2] },
];

const waiting = composed({
  name: "dashboard-find-waiting",
  row: idRow,
  compose: composeWaiting,
  examples: (compose) => exampleWheres.map((where) => compose(where)),
});

const failed = composed({
  name: "dashboard-find-failed",
  row: idRow,
  compose: composeFailed,
  examples: (compose) => exampleWheres.map((where) => compose(where)),
});

const sent = composed({
  name: "dashboard-find-sent",
  row: { id: column.bigint.neverNullHere() },
  compose: composeSent,
  examples: (compose) =>
    exampleWheres.map((where) => compose(where, where.span ? [1, 2] : undefined)),
});

/**
 * Ids of scheduled messages and reminders: of those to come the next ones, of those that failed or were sent the latest,
 * at most fifty of each. What was sent is looked for among the latest ten thousand messages only.
 */
export async function findBy(sql: Sql, where: Where): Promise<number[]> {
  const found = await Promise.all([
    waiting(sql, where),
    failed(sql, where),
    idBounds(sql, where).then((bounds) => sent(sql, where, bounds)),
  ]);
  return [...new Set(found.flat().map(({ id }) => id))];
}

async function idBounds(sql: Sql, { span }: Where): Promise<[number, number] | undefined> {
  if (!span) return undefined;
  const slack = messageIdSlackMs * 1_000;
  const [from, to] = span;
  const [low, high] = await Promise.all([
    messageIdAt(sql, Math.round(from * 1e6) - slack),
    messageIdAt(sql, Math.round(to * 1e6) + slack),
  ]);
  return [low, high];
}
