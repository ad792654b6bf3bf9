import type { Condition } from "@carillon/contract";
import {
  composed,
  type Composition,
  notNull,
  type RowOf,
  type Sql,
  statement,
  typed,
} from "@carillon/db";
import { exampleWheres, idsOf, looked, maxRows, Values, type Where, within } from "./where.ts";

/**
 * Returns the SELECT of withheld messages, with the names of their organization, author and channel.
 * @param rows names a table expression with the columns of `withheld_messages`
 */
const selectFrom = (
  rows: string,
) => `SELECT w.scheduled_message_id AS id, w.realm_id AS "realmId", r.name AS "realmName",
      w.sender_id AS "senderId", u.full_name AS "senderName", u.delivery_email AS "senderEmail",
      w.channel_id AS "channelId", c.name AS "channelName", extract(epoch FROM w.deliver_at)::float8 AS "deliverAt",
      extract(epoch FROM w.withheld_at)::float8 AS "withheldAt", w.condition, w.message_id AS "replyId",
      extract(epoch FROM now())::float8 AS now
    FROM ${rows} w JOIN realms r ON r.id = w.realm_id JOIN users u ON u.id = w.sender_id
      LEFT JOIN channels c ON c.id = w.channel_id`;

const byId = statement({
  name: "dashboard-withheld-by-id",
  text: `${selectFrom("withheld_messages")} WHERE w.scheduled_message_id = $1`,
  overrides: { condition: typed<Condition>() },
});

/**
 * A message that was not sent because a condition held, for the operator: without text and topic. Times are UNIX seconds.
 * - `channelId`: null for a direct conversation.
 * - `replyId`: the message for which a `reply` condition held, else null.
 * - `now`: the database's clock.
 */
export type WithheldView = RowOf<typeof byId>;

/** Finds the withheld message that had this id. */
export function findWithheld(sql: Sql, id: number): Promise<WithheldView[]> {
  return sql.rows(byId, [id]);
}

/** Composes the search for withheld messages, latest first. */
export function composeWithheld({ accounts, channels, span }: Where): Composition {
  const values = new Values();
  const inner = ["true"];
  if (accounts) inner.push("w.sender_id = k.id");
  if (span) inner.push(within(values, "w.withheld_at", span));
  const from = accounts ? `unnest(${values.add(idsOf(accounts), "int[]")})` : "(VALUES (0))";
  const rest = channels ? `w.channel_id = ANY(${values.add(idsOf(channels), "int[]")})` : "true";
  const rows = `(SELECT w.* FROM ${from} AS k (id)
        CROSS JOIN LATERAL (SELECT w.* FROM withheld_messages w
          WHERE ${inner.join(" AND ")} ORDER BY w.withheld_at DESC LIMIT ${looked}) w
      WHERE ${rest} ORDER BY w.withheld_at DESC, w.scheduled_message_id DESC LIMIT ${maxRows})`;
  return {
    text: `${selectFrom(rows)} ORDER BY w.withheld_at DESC, w.scheduled_message_id DESC`,
    values: values.list,
  };
}

const by = composed({
  name: "dashboard-find-withheld",
  overrides: { deliverAt: notNull, withheldAt: notNull, condition: typed<Condition>() },
  compose: composeWithheld,
  examples: (compose) => exampleWheres.map((where) => compose(where)),
});

/**
 * Finds withheld messages, the latest first, at most fifty: among the latest five thousand of each account, or of the
 * whole server where no account is given.
 */
export function findWithheldBy(sql: Sql, where: Where): Promise<WithheldView[]> {
  return by(sql, where);
}
