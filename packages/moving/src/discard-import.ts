import { thumbnailKeysSql } from "@carillon/domain";
import type pg from "pg";

import { ask, inTransaction } from "./connect.ts";
import {
  deleteInSlices,
  type DoomedRows,
  type KeyRange,
  type Slicing,
} from "./delete-in-slices.ts";
import { scopeOf } from "./scope.ts";
import { movedTables } from "./tables.ts";

/** The step of an import whose rows are being deleted. */
export const discardStep = "discard";

/**
 * Deletes an unfinished import and everything that it has stored, in many transactions; uploaded files a day later. Continues
 * after a break.
 */
export async function discardImport(
  client: pg.Client,
  importId: number,
  slicing: Slicing = {},
): Promise<void> {
  const [row] = await ask<{ realm: number | null }>(
    client,
    "UPDATE organization_imports SET step = $2 WHERE id = $1 AND finished_at IS NULL RETURNING realm_id AS realm",
    [importId, discardStep],
  );
  if (!row) return;
  if (row.realm !== null) await deleteOrganization(client, importId, row.realm, slicing);
  // Last, because the new ids tell where the rows of the organization begin.
  await deleteNewIds(client, importId, slicing);
  await ask(client, "DELETE FROM organization_imports WHERE id = $1", [importId]);
}

/** Deletes the new ids and paths of an import. */
export async function deleteNewIds(
  client: pg.Client,
  importId: number,
  slicing: Slicing = {},
): Promise<void> {
  for (const [table, key] of [
    ["import_ids", ["import_id", "kind", "old_id"]],
    ["import_paths", ["import_id", "old_path"]],
  ] as const)
    await deleteInSlices(
      client,
      {
        table,
        key,
        condition: "import_id = $1",
        value: importId,
        range: { from: importId, to: importId },
      },
      slicing,
    );
}

/** How the rows of an organization are found in a table. */
interface DoomedTable extends Pick<DoomedRows, "table" | "condition" | "before"> {
  /** Default: the primary key. */
  readonly key?: readonly string[];
  /** The table to whose ids the first column of the key refers. */
  readonly kind?: string | undefined;
}

/** SQL: marks stored objects, which a worker deletes a day later. */
const releasing = (keys: string) =>
  `UPDATE stored_objects SET delete_after = now() + interval '24 hours' WHERE key IN (${keys})`;

const before: Readonly<Record<string, string>> = {
  attachments: releasing(`SELECT a.object_key FROM attachments a JOIN slice ON slice.id = a.id
      UNION ALL SELECT unnest(${thumbnailKeysSql("slice.id")}) FROM slice`),
  pictures: releasing("SELECT p.object_key FROM pictures p JOIN slice ON slice.path = p.path"),
};

const groupSettings = Object.entries(movedTables["realms"]!.columns).flatMap(([name, column]) =>
  column.kind === "ref" && column.to === "user_group" ? [`r."${name}"`] : [],
);

/** SQL: conditions that leave out the groups of settings and the system bots, which are deleted together with the organization's own row. */
const exceptions: Readonly<Record<string, string>> = {
  user_group: `NOT EXISTS (SELECT FROM realms r WHERE r.id = $1 AND t.id IN (${groupSettings.join(", ")}))`,
  users: "system_bot_kind IS NULL",
};

/** SQL: the rows of messages. Without its bounds, the subquery would read other messages again for each slice. */
const ofMessages =
  "message_id IN (SELECT id FROM messages WHERE realm_id = $1 AND id BETWEEN $2 AND $4)";

/** The tables in which an import stores rows, in the order of deletion: rows are deleted before the rows to which they refer. */
export const doomedTables: readonly DoomedTable[] = [
  ...["job_intent", "event_log", "event_head", "audit_log"].map((table) => ({
    table,
    condition: "realm_id = $1",
  })),
  {
    table: "reactions",
    key: ["message_id", "user_id", "reaction_type", "emoji_code"],
    condition: ofMessages,
    kind: "messages",
  },
  { table: "submessages", key: ["message_id", "id"], condition: ofMessages, kind: "messages" },
  {
    table: "user_messages",
    condition: "user_id IN (SELECT id FROM users WHERE realm_id = $1 AND id BETWEEN $2 AND $4)",
    kind: "users",
  },
  {
    table: "channel_traffic",
    condition: "channel_id IN (SELECT id FROM channels WHERE realm_id = $1)",
    kind: "channels",
  },
  ...Object.keys(movedTables)
    .filter((table) => table !== "realms" && table !== "clients")
    .reverse()
    .map((table) => ({
      table,
      condition: [scopeOf(table), exceptions[table] ?? []].flat().join(" AND "),
      before: before[table],
    })),
];

/** Deletes an organization, the rows that refer to others first, so that few rows are deleted by cascades at a time. */
async function deleteOrganization(
  client: pg.Client,
  importId: number,
  realmId: number,
  slicing: Slicing,
): Promise<void> {
  const primaryKeys = await readPrimaryKeys(client);
  const ranges = await readIdRanges(client, importId, realmId);
  for (const { kind, ...doomed } of doomedTables) {
    const { table, key = primaryKeys.get(table)! } = doomed;
    const numbered = kind ?? kindOf(table, key[0]!);
    const range = numbered
      ? ranges.get(numbered)
      : await readRange(client, key[0]!, doomed, realmId);
    if (range) await deleteInSlices(client, { ...doomed, key, value: realmId, range }, slicing);
  }
  await inTransaction(client, async () => {
    await ask(client, "UPDATE organization_imports SET realm_id = NULL WHERE id = $1", [importId]);
    await ask(client, "DELETE FROM realms WHERE id = $1", [realmId]);
  });
}

/** Returns the table whose ids a column has; undefined if the import does not number them. */
function kindOf(table: string, column: string): string | undefined {
  const declared = movedTables[table]?.columns[column];
  if (declared?.kind === "id") return table;
  return declared?.kind === "ref" ? declared.to : undefined;
}

/** Returns the columns of primary keys, by table. */
async function readPrimaryKeys(client: pg.Client): Promise<Map<string, readonly string[]>> {
  const rows = await ask<{ table: string; key: string[] }>(
    client,
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY array_position(k.conkey, a.attnum)) AS key
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(k.conkey)
     WHERE k.contype = 'p' AND c.relnamespace = 'public'::regnamespace GROUP BY c.relname`,
  );
  return new Map(rows.map(({ table, key }) => [table, key]));
}

/** SQL: the ranges of the ids of tables that also have rows which are not records of the export. */
const rangesOfOwnRows = ["users", "user_group", "recipients"]
  .map((table) => `SELECT '${table}', min(id), max(id) FROM ${table} WHERE realm_id = $2`)
  .join(" UNION ALL ");

/**
 * Returns the ranges of the organization's ids, by table. A table without rows of the organization has no range.
 */
async function readIdRanges(
  client: pg.Client,
  importId: number,
  realmId: number,
): Promise<Map<string, KeyRange>> {
  const rows = await ask<{ kind: string; from: string | null; to: string | null }>(
    client,
    `SELECT kind, min(new_id) AS from, max(new_id) AS to FROM import_ids
     WHERE import_id = $1 AND kind NOT IN ('users', 'user_group', 'recipients') GROUP BY kind
     UNION ALL ${rangesOfOwnRows}`,
    [importId, realmId],
  );
  return new Map(
    rows.flatMap(({ kind, from, to }) =>
      from === null || to === null ? [] : [[kind, { from, to }]],
    ),
  );
}

/** Returns the range of a column among an organization's rows of a table; undefined if there are none. */
async function readRange(
  client: pg.Client,
  column: string,
  { table, condition }: DoomedTable,
  realmId: number,
): Promise<KeyRange | undefined> {
  const [row] = await ask<{ from: number | string | null; to: number | string | null }>(
    client,
    `SELECT min("${column}") AS from, max("${column}") AS to FROM "${table}" t WHERE ${condition}`,
    [realmId],
  );
  return row && row.from !== null && row.to !== null ? { from: row.from, to: row.to } : undefined;
}
