import {
  channelPermissions,
  groupPermissions,
  roles,
  type SystemGroupName,
} from "@carillon/contract";
import { renderDescription } from "@carillon/markdown";
import { renderImported } from "@carillon/domain";
import { randomKey } from "@carillon/kit";
import { columnsOf, defaultGroups, hostOf, loadRealm, loadSystemGroups } from "@carillon/model";
import type { NumberedRecord } from "@carillon/transfer";

import { boundLists } from "./bound-lists.ts";
import { checkRecords } from "./check-records.ts";
import { ask } from "./connect.ts";
import { insertRows } from "./insert-rows.ts";
import { atLine, type Import, inSlicesOf } from "./journal.ts";
import {
  completeRecipient,
  idOf,
  type MappedRow,
  mapRecord,
  type Mapping,
  type RecordIds,
  type Row,
} from "./map-record.ts";
import { RecordProblem, WantedIds } from "./new-ids.ts";
import { movedTables } from "./tables.ts";
import type { TransferKey } from "./transfer-key.ts";

/** What the steps of an import share. */
export interface Importing extends Import {
  readonly key: TransferKey | undefined;
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly systemGroups: Readonly<Record<SystemGroupName, number>>;
  /** The label of the new address. */
  readonly subdomain: string;
  readonly fieldTypes: Map<number, number>;
}

/** Creates the shared state of the steps. */
export async function startImporting(
  of: Import,
  more: Pick<Importing, "key" | "columns" | "subdomain">,
): Promise<Importing> {
  const systemGroups = await loadSystemGroups(of.db, of.realmId);
  return { ...of, ...more, systemGroups, fieldTypes: new Map() };
}

/** Looks up what the records refer to, and maps them. Called in the transaction that stores them. */
export async function mapRecords(
  of: Importing,
  table: string,
  records: readonly NumberedRecord[],
): Promise<MappedRow[]> {
  const wanted = new WantedIds(of.ids);
  const map = (ids: RecordIds) => {
    const mapping: Mapping = { ids, fieldTypes: of.fieldTypes };
    return records.flatMap(({ record, line }) => {
      const row = atLine(line, () => mapRecord(table, record, mapping));
      return row ? [{ row, line }] : [];
    });
  };
  map(wanted);
  await of.ids.load(wanted);
  return map(of.ids);
}

/** Imports the records of a table. */
export async function importRecords(
  of: Importing,
  table: string,
  step: string,
  after: number,
): Promise<void> {
  if (table === "custom_profile_field_values") await readFieldTypes(of);
  await inSlicesOf(of, { table, step, after }, async (records) => {
    await checkRecords(of, table, records);
    const byLine = new Map(records.map(({ record, line }) => [line, record]));
    const mapped = await mapRecords(of, table, withoutSystem(table, records));
    const bounded = await boundLists(of, table, mapped, byLine);
    const rows = bounded.map(({ row, line }) => ({
      line,
      row: atLine(line, () => withSecrets(of, table, byLine.get(line)!, withoutLater(table, row))),
    }));
    const complete = await withNewKeys(of, table, await completeRows(of, table, rows));
    await insertRows(of.client, table, complete, {
      columns: of.columns.get(table)!,
      onConflict: repeatable.has(table) ? "ON CONFLICT DO NOTHING" : "",
    });
  });
}

/**
 * Tables with rows that may exist before their records are imported: groups with a name, and calls of webhooks if the
 * organization is imported into its own installation.
 */
const repeatable: ReadonlySet<string> = new Set(["user_group", "outgoing_call"]);

/** Leaves out the records of what every organization has from the start. */
function withoutSystem(
  table: string,
  records: readonly NumberedRecord[],
): readonly NumberedRecord[] {
  if (table === "users")
    return records.filter(({ record }) => (record["system_bot_kind"] ?? null) === null);
  // An emoji without the file of a picture cannot be shown.
  if (table === "realm_emoji") return records.filter(({ record }) => "file" in record);
  if (table === "named_user_group")
    return records.filter(({ record }) => record["is_system_group"] !== true);
  return records;
}

/** Opens the secrets of a record with the key of the export, and seals them with that of the installation. */
function withSecrets(of: Importing, table: string, record: Row, row: Row): Row {
  const sealed: Row = {};
  const plain = new Map<string, string>();
  const { columns } = movedTables[table]!;
  for (const [name, column] of Object.entries(columns)) {
    if (column.kind !== "sealed" || typeof record[name] !== "string") continue;
    if (!of.key) throw new RecordProblem(`${name}: the export has no key`);
    let text: string;
    try {
      text = of.key.open(record[name]);
    } catch {
      throw new RecordProblem(`${name}: was not sealed with the key of the export`);
    }
    plain.set(name, text);
    sealed[name] = bytesOf(of.secrets.seal(text));
  }
  for (const [name, column] of Object.entries(columns)) {
    const text = column.kind === "digest" ? plain.get(column.of) : undefined;
    if (text !== undefined) sealed[name] = bytesOf(of.secrets.digest(text));
  }
  return { ...row, ...sealed };
}

/** Columns with digests of keys, which are unique in the installation, by table. */
const keyColumns: Readonly<Record<string, readonly [digest: string, sealed: string]>> = {
  users: ["api_key_digest", "api_key_sealed"],
  invitations: ["key_digest", "key_sealed"],
};

/** Gives other keys to rows whose keys the installation has: the organization was imported into its own installation. */
async function withNewKeys(
  of: Importing,
  table: string,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const columns = keyColumns[table];
  if (!columns || rows.length === 0) return rows;
  const [digest, sealed] = columns;
  const taken = await ask<{ digest: string }>(
    of.client,
    `SELECT '\\x' || encode("${digest}", 'hex') AS digest FROM "${table}" WHERE "${digest}" = ANY($1::bytea[])`,
    [rows.map((row) => row[digest])],
  );
  const used = new Set(taken.map((one) => one.digest));
  return rows.map((row) => {
    if (!used.has(String(row[digest]))) return row;
    const key = randomKey();
    return {
      ...row,
      [digest]: bytesOf(of.secrets.digest(key)),
      [sealed]: bytesOf(of.secrets.seal(key)),
    };
  });
}

export const bytesOf = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString("hex")}`;

/** Adds what a source does not say, and what is made of the rest. */
async function completeRows(
  of: Importing,
  table: string,
  rows: readonly MappedRow[],
): Promise<Row[]> {
  const plain = rows.map(({ row }) => row);
  const owned = of.columns.get(table)!.has("realm_id");
  const scoped: Row[] = owned ? plain.map((row) => ({ ...row, realm_id: of.realmId })) : plain;
  switch (table) {
    case "users":
      return completeAccounts(of, scoped, rows);
    case "named_user_group":
      return completeGroups(of, scoped);
    case "user_group_member":
      return scoped.filter(({ group_id: group }) => !isSystemGroup(of, group));
    case "user_group_subgroup":
      return scoped.filter(({ supergroup_id: group }) => !isSystemGroup(of, group));
    case "user_group":
      return scoped.filter(({ id }) => !isSystemGroup(of, id));
    case "channels": {
      const defaults = withColumns(
        columnsOf(channelPermissions),
        defaultGroups(channelPermissions, of.systemGroups),
      );
      return scoped.map((row) => described({ ...defaults, ...row }));
    }
    case "channel_folders":
      return scoped.map(described);
    case "custom_profile_field_values":
      return scoped.map((row) => {
        const type = of.fieldTypes.get(Number(row["field_id"]));
        return type === 1 || type === 2
          ? { ...row, rendered_value: renderDescription(String(row["value"])) }
          : row;
      });
    case "recipients":
      return scoped.map((row) => ({ ...completeRecipient(row), realm_id: of.realmId }));
    case "scheduled_messages":
      return completeScheduled(of, rows, scoped);
    case "realm_user_defaults":
      await ask(of.client, "DELETE FROM realm_user_defaults WHERE realm_id = $1", [of.realmId]);
      return scoped;
    case "event_subscription":
      // Events are numbered anew, from 1. Events that were not sent before the move are not imported: `gap` tells the receiver.
      return scoped.map((row) => ({ ...row, cursor: 0, gap: true }));
    default:
      return scoped;
  }
}

function described(row: Row): Row {
  const { description } = row;
  return {
    ...row,
    rendered_description: typeof description === "string" ? renderDescription(description) : "",
  };
}

function withColumns(columns: readonly string[], groups: Readonly<Record<string, number>>): Row {
  const ids = Object.values(groups);
  return Object.fromEntries(columns.map((column, index) => [column, ids[index]]));
}

function isSystemGroup({ systemGroups }: Importing, id: unknown): boolean {
  return Object.values(systemGroups).some((one) => one === id);
}

/** Rights that operators give. An owner keeps them, because the owner of a new organization has them. */
const operatorsRights = ["can_create_users", "can_change_user_emails"] as const;

async function completeAccounts(
  of: Importing,
  rows: readonly Row[],
  mapped: readonly MappedRow[],
): Promise<Row[]> {
  const { subdomain } = of;
  const host = hostOf(of.site, { ...(await loadRealm(of.db, of.realmId)), subdomain });
  return rows.map((row, index) => {
    const lost =
      row["role"] === roles.owner ? [] : operatorsRights.filter((one) => row[one] === true);
    for (const right of lost)
      of.report(
        `users.ndjson, line ${mapped[index]!.line}: ${right} is left out: only owners keep it`,
      );
    const { id, delivery_email: address, email_address_visibility: visibility = 1 } = row;
    const key = randomKey();
    return {
      api_key_sealed: bytesOf(of.secrets.seal(key)),
      api_key_digest: bytesOf(of.secrets.digest(key)),
      ...(row["is_bot"] === true ? { bot_type: 1 } : {}),
      ...row,
      ...Object.fromEntries(lost.map((right) => [right, false])),
      system_bot_kind: null,
      email: visibility === 1 ? address : `user${String(id)}@${host}`,
    };
  });
}

/** The names of system groups begin with this. */
const systemPrefix = "role:";

async function completeGroups(of: Importing, rows: readonly Row[]): Promise<Row[]> {
  const ids = rows.map(({ id, name }) => {
    if (String(name).startsWith(systemPrefix))
      throw new RecordProblem(`name: ${String(name)} is the name of a system group`);
    return idOf("id", id);
  });
  await ask(
    of.client,
    "INSERT INTO user_group (id, realm_id) SELECT unnest($1::int[]), $2 ON CONFLICT DO NOTHING",
    [ids, of.realmId],
  );
  const defaults = withColumns(
    columnsOf(groupPermissions),
    defaultGroups(groupPermissions, of.systemGroups),
  );
  return rows.map((row) => ({ ...defaults, ...row, is_system_group: false }));
}

async function completeScheduled(
  of: Importing,
  rows: readonly MappedRow[],
  scoped: readonly Row[],
): Promise<Row[]> {
  const shown = scoped.map(({ delivered }) => delivered !== true);
  const texts = scoped
    .filter((_, index) => shown[index])
    .map((row) => ({ authorId: Number(row["sender_id"]), content: String(row["content"]) }));
  const rendered = await renderImported(of.db, of.site, of.realmId, texts);
  let next = 0;
  return scoped.map((row, index) => {
    // A delivered message is shown as the message that it became.
    if (!shown[index]) return { ...row, rendered_content: "" };
    const one = rendered[next++]!;
    if ("problem" in one)
      return atLine(rows[index]!.line, () => {
        throw new RecordProblem(one.problem);
      });
    const { line } = rows[index]!;
    if (one.change !== undefined)
      of.report(`scheduled_messages.ndjson, line ${line}: ${one.change}`);
    return {
      ...row,
      content: one.content,
      rendered_content: one.html,
      has_attachment: one.hasAttachment,
    };
  });
}

async function readFieldTypes(of: Importing): Promise<void> {
  const rows = await ask<{ id: number; type: number }>(
    of.client,
    "SELECT id, field_type AS type FROM custom_profile_fields WHERE realm_id = $1",
    [of.realmId],
  );
  for (const { id, type } of rows) of.fieldTypes.set(id, type);
}

/** Columns that refer to rows that are inserted later, by table. */
export const laterColumns: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(movedTables).flatMap(([table, { columns }]) => {
    const later = Object.entries(columns).flatMap(([name, column]) =>
      column.kind === "ref" && column.later ? [name] : [],
    );
    return later.length > 0 ? [[table, later] as const] : [];
  }),
);

/** Stores the columns of a table that refer to rows that were inserted after its own. */
export async function importLater(
  of: Importing,
  table: string,
  step: string,
  after: number,
): Promise<void> {
  const names = laterColumns.get(table)!;
  await inSlicesOf(of, { table, step, after }, async (records) => {
    const some = withoutSystem(table, records).filter(({ record }) =>
      names.some((name) => (record[name] ?? null) !== null),
    );
    const rows = (await mapRecords(of, table, some)).map(({ row }) => row);
    if (rows.length === 0) return;
    await ask(
      of.client,
      `UPDATE "${table}" t SET ${names.map((name) => `"${name}" = n."${name}"`).join(", ")}
       FROM json_populate_recordset(NULL::"${table}", $1::json) n WHERE t.id = n.id AND t.realm_id = $2`,
      [JSON.stringify(rows.map((row) => pick(row, ["id", ...names]))), of.realmId],
    );
  });
}

/** Leaves the columns of {@link laterColumns} out of rows that are inserted. */
export function withoutLater(table: string, row: Row): Row {
  const later = laterColumns.get(table) ?? [];
  return Object.fromEntries(Object.entries(row).filter(([name]) => !later.includes(name)));
}

const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
