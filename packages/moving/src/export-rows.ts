import { isDeferred, type Secrets } from "@carillon/model";
import type pg from "pg";

import { ask } from "./connect.ts";
import { scopeOf } from "./scope.ts";
import { type Column, movedTables } from "./tables.ts";
import type { TransferKey } from "./transfer-key.ts";

/** Rows of one FETCH: a message of the greatest length with its copies has 100 kB or so. */
const pageSize = 500;

const columnsOf = (name: string, wanted: (column: Column) => boolean) =>
  Object.entries(movedTables[name]!.columns).flatMap(([column, declared]) =>
    wanted(declared) ? [column] : [],
  );

/**
 * Reads the records of a table as JSON texts, by id. Reads page by page, so that memory does not grow with the table.
 * @param client in a transaction that sees one state of the database
 */
export async function* exportedRows(
  client: pg.Client,
  name: string,
  { realmId, secrets, key }: { realmId: number; secrets: Secrets; key: TransferKey },
): AsyncGenerator<string> {
  const sealed = columnsOf(name, ({ kind }) => kind === "sealed");
  for await (const row of pages(client, name, realmId)) {
    if (sealed.length === 0) {
      yield row;
      continue;
    }
    const record = JSON.parse(row) as Record<string, unknown>;
    for (const column of sealed)
      if (typeof record[column] === "string")
        record[column] = key.seal(secrets.open(Buffer.from(record[column].slice(2), "hex")));
    yield JSON.stringify(record);
  }
}

async function* pages(client: pg.Client, name: string, realmId: number): AsyncGenerator<string> {
  if (name === "messages") {
    yield* messagePages(client, realmId);
    return;
  }
  await ask(
    client,
    `DECLARE exported NO SCROLL CURSOR FOR SELECT ${recordSql(name)} AS record FROM "${name}" t
     WHERE ${scopeOf(name)} ${orderOf(name)}`,
    [realmId],
  );
  for (;;) {
    const rows = await ask<{ record: string }>(client, `FETCH ${pageSize} FROM exported`);
    for (const { record } of rows) yield record;
    if (rows.length < pageSize) break;
  }
  await ask(client, "CLOSE exported");
}

const orderOf = (name: string) =>
  movedTables[name]!.columns["id"]?.kind === "id" ? "ORDER BY t.id" : "";

/** SQL: the record of a row, `t`, as text. */
function recordSql(name: string): string {
  const { columns } = movedTables[name]!;
  const left = [
    ...columnsOf(name, ({ kind }) => kind === "unmoved" || kind === "digest"),
    ...(name === "realms" ? [] : ["realm_id"]),
  ];
  const id = name === "realms" ? " || jsonb_build_object('id', t.id)" : "";
  const hash =
    "sha256" in columns ? " || jsonb_build_object('sha256', encode(t.sha256, 'hex'))" : "";
  const only = name === "pictures" ? " - 'replaced_at'" : "";
  return `(to_jsonb(t) - '{${left.join(",")}}'::text[]${only}${hash}${id})::text`;
}

/**
 * Reads messages with their copies, reactions and submessages. Copies are keyed by account, so they are looked up account
 * by account for all messages of a page. Deferred copies of people who are away (docs/decisions/083) are exported as if
 * they existed.
 */
async function* messagePages(client: pg.Client, realmId: number): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const rows = await ask<{ id: string; record: string }>(client, messagesSql, [
      realmId,
      after,
      pageSize,
    ]);
    for (const { record } of rows) yield record;
    if (rows.length < pageSize) return;
    after = Number(rows.at(-1)!.id);
  }
}

const grouped = (table: string, object: string) =>
  `(SELECT jsonb_agg(${object} ORDER BY x.id) FROM ${table} x WHERE x.message_id = t.id)`;

const messagesSql = `WITH t AS MATERIALIZED (
    SELECT * FROM messages WHERE realm_id = $1 AND id > $2 ORDER BY id LIMIT $3
  ), copy AS MATERIALIZED (
    SELECT c.message_id, jsonb_agg(jsonb_build_array(c.user_id, c.flags & 511) ORDER BY c.user_id) AS list
    FROM (
      SELECT um.user_id, um.message_id, um.flags FROM users u JOIN user_messages um ON um.user_id = u.id
        AND um.message_id BETWEEN (SELECT min(id) FROM t) AND (SELECT max(id) FROM t)
      WHERE u.realm_id = $1
      UNION ALL SELECT s.user_id, t.id, s.deferred_read::int
      FROM t JOIN recipients r ON r.id = t.recipient_id
      JOIN subscriptions s ON s.channel_id = r.channel_id AND ${isDeferred("t.id")}
      WHERE NOT t.changed_channel
        AND NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = s.user_id AND um.message_id = t.id)
    ) c GROUP BY c.message_id
  )
  SELECT t.id, (to_jsonb(t) - '{${["realm_id", "is_channel", ...columnsOf("messages", ({ kind }) => kind === "unmoved")].join(",")}}'::text[]
      || jsonb_build_object('copies', coalesce(copy.list, '[]'))
      || jsonb_strip_nulls(jsonb_build_object(
        'reactions', ${grouped("reactions", "jsonb_build_object('user_id', x.user_id, 'reaction_type', x.reaction_type, 'emoji_code', x.emoji_code, 'emoji_name', x.emoji_name)")},
        'submessages', ${grouped("submessages", "jsonb_build_object('sender_id', x.sender_id, 'msg_type', x.msg_type, 'content', x.content)")}
      )))::text AS record
  FROM t LEFT JOIN copy ON copy.message_id = t.id ORDER BY t.id`;
