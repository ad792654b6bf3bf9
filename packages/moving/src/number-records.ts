import type { NumberedRecord } from "@carillon/transfer";

import { ask } from "./connect.ts";
import { atLine, type Import, inSlicesOf } from "./journal.ts";
import { idOf } from "./map-record.ts";
import { giveIds, RecordProblem } from "./new-ids.ts";
import { movedTables } from "./tables.ts";

/** Tables whose records get their ids before any row is inserted, because rows refer to each other in cycles. */
export const numberedTables: readonly string[] = [
  // First: it finds out which groups are system groups.
  "named_user_group",
  ...Object.entries(movedTables)
    .filter(([name, { columns }]) => columns["id"]?.kind === "id" && name !== "messages")
    .map(([name]) => name),
];

/** Gives the records of a table their new ids. */
export async function numberRecords(
  of: Import,
  table: string,
  step: string,
  after: number,
): Promise<void> {
  await inSlicesOf(of, { table, step, after }, async (records) => {
    const found = await existing(of, table, records);
    const kind = table === "named_user_group" ? "user_group" : table;
    const olds = records.map(({ record, line }) => atLine(line, () => idOf("id", record["id"])));
    const pairs = olds.flatMap((old, index) => {
      const id = found.get(records[index]!.line);
      return id === undefined ? [] : [{ old, id }];
    });
    await put(of, kind, pairs);
    const others = olds.filter((_, index) => !found.has(records[index]!.line));
    if (table === "user_group") await giveGroups(of, others);
    else await giveIds(of.client, of.id, kind, others);
  });
}

/** Returns the ids of records that the new organization has already, by line: system groups, system bots, programs. */
async function existing(
  of: Import,
  table: string,
  records: readonly NumberedRecord[],
): Promise<Map<number, number>> {
  const [column, wanted] =
    table === "named_user_group"
      ? ["name", ({ is_system_group: isSystem }: NumberedRecord["record"]) => isSystem === true]
      : table === "users"
        ? [
            "system_bot_kind",
            (record: NumberedRecord["record"]) => (record["system_bot_kind"] ?? null) !== null,
          ]
        : ["name", () => table === "clients"];
  const named = records.filter(({ record }) => (wanted as (one: object) => boolean)(record));
  if (named.length === 0) return new Map();
  const names = named.map(({ record, line }) => {
    const name = record[column];
    if (typeof name === "string") return name;
    return atLine(line, () => {
      throw new RecordProblem(`${column}: is not a text`);
    });
  });
  if (table === "clients")
    await ask(
      of.client,
      "INSERT INTO clients (name) SELECT DISTINCT unnest($1::text[]) ON CONFLICT DO NOTHING",
      [names],
    );
  const rows = await ask<{ id: number; name: string }>(
    of.client,
    table === "clients"
      ? "SELECT id, name FROM clients WHERE name = ANY($1::text[])"
      : `SELECT id, ${column} AS name FROM ${table} WHERE realm_id = $2 AND ${column} = ANY($1::text[])
         ${table === "users" ? "" : "AND is_system_group"}`,
    table === "clients" ? [names] : [names, of.realmId],
  );
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  return new Map(
    named.map(({ line }, index) => {
      const id = ids.get(names[index]!);
      if (id === undefined)
        atLine(line, () => {
          throw new RecordProblem(`${column}: this version has no ${names[index]}`);
        });
      return [line, id!] as const;
    }),
  );
}

async function put(
  { client, id: importId }: Import,
  kind: string,
  pairs: ReadonlyArray<{ readonly old: number; readonly id: number }>,
): Promise<void> {
  if (pairs.length === 0) return;
  const rows = await ask(
    client,
    `INSERT INTO import_ids (import_id, kind, old_id, new_id)
     SELECT $1, $2, old, new FROM unnest($3::bigint[], $4::bigint[]) AS p (old, new)
     ON CONFLICT DO NOTHING RETURNING old_id`,
    [importId, kind, pairs.map(({ old }) => old), pairs.map(({ id }) => id)],
  );
  if (rows.length < pairs.length) throw new RecordProblem("has an id that another record has");
}

/** Gives ids to groups without a name. Groups with a name got theirs before. */
async function giveGroups(of: Import, olds: readonly number[]): Promise<void> {
  const rows = await ask<{ old: string }>(
    of.client,
    `SELECT old_id AS old FROM import_ids WHERE import_id = $1 AND kind = 'user_group' AND old_id = ANY($2::bigint[])`,
    [of.id, olds],
  );
  const given = new Set(rows.map(({ old }) => Number(old)));
  await giveIds(
    of.client,
    of.id,
    "user_group",
    olds.filter((old) => !given.has(old)),
  );
}
