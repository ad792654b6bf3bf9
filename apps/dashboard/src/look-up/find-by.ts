import { composed, type Composition, notNull, type Sql } from "@carillon/db";
import { pending, scheduledKind, undelivered } from "@carillon/scheduling";
import { exampleWheres, idsOf, looked, maxRows, Values, type Where, within } from "./where.ts";

/** Searches each account, channel or organization separately, because the indexes are ordered for a single one. */
const each = (values: Values, ids: readonly number[] | undefined) =>
  ids ? `unnest(${values.add(ids, "int[]")}) AS k (id)` : "(VALUES (0)) AS k (id)";

/**
 * Composes the search for pending rows, earliest due first. By account, an index covers pending and failed ones
 * together; otherwise only pending ones are indexed.
 */
export function composeWaiting({ accounts, channels, span }: Where): Composition {
  const values = new Values();
  const realms = channels && [...new Set(channels.map(({ realmId }) => realmId))];
  const from = each(values, accounts ? idsOf(accounts) : realms);
  const parts = [accounts ? `${undelivered("s")} AND s.kind = kinds.kind` : pending("s")];
  if (accounts) parts.push("s.sender_id = k.id");
  else if (realms) parts.push("s.realm_id = k.id");
  if (span) parts.push(within(values, "s.deliver_at", span));
  const kinds = accounts ? Object.values(scheduledKind) : [0];
  const rest = channels ? `channel_id = ANY(${values.add(idsOf(channels), "int[]")})` : "true";
  return {
    text: `SELECT s.id FROM ${from}
        CROSS JOIN (VALUES ${kinds.map((kind) => `(${kind})`).join(", ")}) AS kinds (kind)
        CROSS JOIN LATERAL (SELECT s.id, s.channel_id, s.deliver_at FROM scheduled_messages s
          WHERE ${parts.join(" AND ")} ORDER BY s.deliver_at LIMIT ${looked}) s
      WHERE ${rest} ORDER BY s.deliver_at, s.id LIMIT ${maxRows}`,
    values: values.list,
  };
}

/** Composes the search for recorded failures, latest first. */
export function composeFailed({ accounts, channels, span }: Where): Composition {
  const values = new Values();
  const keys = accounts ?? channels;
  const from = each(values, keys && idsOf(keys));
  const parts = ["true"];
  if (accounts) parts.push("f.sender_id = k.id");
  else if (channels) parts.push("f.channel_id = k.id");
  if (span) parts.push(within(values, "f.failed_at", span));
  const rest =
    accounts && channels ? `channel_id = ANY(${values.add(idsOf(channels), "int[]")})` : "true";
  return {
    text: `SELECT f.scheduled_message_id AS id FROM ${from}
        CROSS JOIN LATERAL (SELECT f.* FROM delivery_failures f
          WHERE ${parts.join(" AND ")} ORDER BY f.failed_at DESC, f.id DESC LIMIT ${looked}) f
      WHERE ${rest} ORDER BY f.failed_at DESC, f.id DESC LIMIT ${maxRows}`,
    values: values.list,
  };
}

/**
 * Composes the search for sent messages that were scheduled.
 * @param bounds ids of the span's messages: from the first to below the second
 */
export function composeSent(
  { accounts, channels, span }: Where,
  bounds: readonly [number, number] | undefined,
): Composition {
  const values = new Values();
  const recipients = channels?.map(({ recipientId }) => recipientId);
  const from = each(values, accounts ? idsOf(accounts) : recipients);
  const parts = ["true"];
  if (accounts) parts.push("m.sender_id = k.id");
  else if (recipients) parts.push("m.recipient_id = k.id");
  if (bounds) {
    const [low, high] = bounds.map((id) => values.add(id, "bigint"));
    parts.push(`m.id >= ${low} AND m.id < ${high}`);
  }
  const rest = ["m.scheduled_message_id IS NOT NULL"];
  if (accounts && recipients) rest.push(`m.recipient_id = ANY(${values.add(recipients, "int[]")})`);
  if (span) rest.push(within(values, "m.sent_at", span));
  return {
    text: `SELECT m.scheduled_message_id AS id FROM ${from}
        CROSS JOIN LATERAL (SELECT m.id, m.scheduled_message_id, m.recipient_id, m.sent_at FROM messages m
          WHERE ${parts.join(" AND ")} ORDER BY m.id DESC LIMIT ${looked}) m
      WHERE ${rest.join(" AND ")} ORDER BY m.id DESC LIMIT ${maxRows}`,
    values: values.list,
  };
}

const waiting = composed({
  name: "dashboard-find-waiting",
  compose: composeWaiting,
  examples: (compose) => exampleWheres.map((where) => compose(where)),
});

const failed = composed({
  name: "dashboard-find-failed",
  compose: composeFailed,
  examples: (compose) => exampleWheres.map((where) => compose(where)),
});

const sent = composed({
  name: "dashboard-find-sent",
  overrides: { id: notNull },
  compose: composeSent,
  examples: (compose) =>
    exampleWheres.map((where) => compose(where, where.span ? [1, 2] : undefined)),
});

/**
 * Finds ids of scheduled messages and reminders: the next pending, latest failed and latest sent ones, at most fifty of
 * each. Sent ones are searched among the latest five thousand messages of each account, channel or time.
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
  const { messageIdAt, messageIdSlackMs } = await import("@carillon/model");
  const slack = messageIdSlackMs * 1_000;
  const [from, to] = span;
  const [low, high] = await Promise.all([
    messageIdAt(sql, Math.round(from * 1e6) - slack),
    messageIdAt(sql, Math.round(to * 1e6) + slack),
  ]);
  return [low, high];
}
