import { composed, type Composition, notNull, type Sql, statement } from "@carillon/db";
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

/** Message ids: from the first to below the second. */
export type IdRange = readonly [from: number, until: number];

/** All message ids. */
const everything: IdRange = [0, Number.MAX_SAFE_INTEGER];

/**
 * Composes the search for sent messages that were scheduled.
 * @param ranges the ids of the span's messages: of each account's or channel's organization, else of all organizations
 */
export function composeSent(
  { accounts, channels, span }: Where,
  ranges: readonly IdRange[],
): Composition {
  const values = new Values();
  const recipients = channels?.map(({ recipientId }) => recipientId);
  const ids = accounts ? idsOf(accounts) : (recipients ?? ranges.map(() => 0));
  const lists = [
    values.add(ids, "int[]"),
    values.add(
      ranges.map(([low]) => low),
      "bigint[]",
    ),
    values.add(
      ranges.map(([, high]) => high),
      "bigint[]",
    ),
  ];
  const from = `unnest(${lists.join(", ")}) AS k (id, low, high)`;
  const parts = ["m.id >= k.low AND m.id < k.high"];
  if (accounts) parts.push("m.sender_id = k.id");
  else if (recipients) parts.push("m.recipient_id = k.id");
  const rest = ["m.scheduled_message_id IS NOT NULL"];
  if (accounts && recipients) rest.push(`m.recipient_id = ANY(${values.add(recipients, "int[]")})`);
  if (span) rest.push(within(values, "m.sent_at", span));
  return {
    text: `SELECT m.scheduled_message_id AS id FROM ${from}
        CROSS JOIN LATERAL (SELECT m.id, m.scheduled_message_id, m.recipient_id, m.sent_at FROM messages m
          WHERE ${parts.join(" AND ")} ORDER BY m.id DESC LIMIT ${looked}) m
      WHERE ${rest.join(" AND ")} GROUP BY m.id, m.scheduled_message_id ORDER BY m.id DESC LIMIT ${maxRows}`,
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
  examples: (compose) => exampleWheres.map((where) => compose(where, [[1, 2]])),
});

/**
 * Finds ids of scheduled messages and reminders: the next pending, latest failed and latest sent ones, at most fifty of
 * each. Sent ones are searched among the latest five thousand messages of each account, channel or time.
 */
export async function findBy(sql: Sql, where: Where): Promise<number[]> {
  const found = await Promise.all([
    waiting(sql, where),
    failed(sql, where),
    idRanges(sql, where).then((ranges) => sent(sql, where, ranges)),
  ]);
  return [...new Set(found.flat().map(({ id }) => id))];
}

const imported = statement({
  name: "dashboard-imported-organizations",
  text: `SELECT r.id, EXISTS (SELECT FROM organization_imports i WHERE i.realm_id = r.id) AS "isImported" FROM realms r`,
});

/** Returns the message ids of the span, for {@link composeSent}. */
async function idRanges(sql: Sql, { accounts, channels, span }: Where): Promise<IdRange[]> {
  const places = accounts ?? channels;
  if (!span) return (places ?? [0]).map(() => everything);
  if (places) {
    const ranges = await rangesOf(sql, [...new Set(places.map(({ realmId }) => realmId))], span);
    return places.map(({ realmId }) => ranges.get(realmId) ?? everything);
  }
  const realms = await sql.rows(imported, []);
  const ranges = await rangesOf(sql, idsOf(realms), span);
  const of = (wanted: boolean) =>
    realms.flatMap(({ id, isImported }) => (isImported === wanted ? [ranges.get(id)!] : []));
  // Organizations that were not imported have one order. Those with the most messages give the narrowest range.
  const common: IdRange = [
    Math.max(0, ...of(false).map(([low]) => low)),
    Math.min(Number.MAX_SAFE_INTEGER, ...of(false).map(([, high]) => high)),
  ];
  return [common, ...of(true)];
}

async function rangesOf(
  sql: Sql,
  realmIds: readonly number[],
  [from, to]: readonly [number, number],
): Promise<Map<number, IdRange>> {
  const { messageIdsAt, messageIdSlackMs } = await import("@carillon/model");
  const slack = messageIdSlackMs * 1_000;
  const [lows, highs] = await Promise.all([
    messageIdsAt(sql, realmIds, Math.round(from * 1e6) - slack),
    messageIdsAt(sql, realmIds, Math.round(to * 1e6) + slack),
  ]);
  const until = new Map(highs.map((one) => [one.realmId, one.until]));
  return new Map(
    lows.map((one) => [one.realmId, [one.from, until.get(one.realmId) ?? Number.MAX_SAFE_INTEGER]]),
  );
}
