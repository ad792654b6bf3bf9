import { memberHash, memberKey } from "@carillon/model";

import { mapFragment, mapText, type NewIds } from "./map-text.ts";
import { RecordProblem } from "./new-ids.ts";
import { type Column, movedTables } from "./tables.ts";

/** The new ids, and those of records that the source has deleted. */
export interface RecordIds extends NewIds {
  ofGone(kind: string, old: number): number | undefined;
  upTo(kind: string, old: number): number | undefined;
}

export type Row = Record<string, unknown>;

/** A row with the line of its record. */
export interface MappedRow {
  readonly row: Row;
  readonly line: number;
}

/** What the mapping of JSON columns needs to know. */
export interface Mapping {
  readonly ids: RecordIds;
  /** The types of custom profile fields, by their new ids. */
  readonly fieldTypes: ReadonlyMap<number, number>;
}

/**
 * Returns the row of a record, with new ids; undefined if the record is left out because it belongs to something deleted.
 * Columns of the kinds `sealed`, `digest` and `unmoved` are left out.
 * @throws RecordProblem
 */
export function mapRecord(name: string, record: Row, mapping: Mapping): Row | undefined {
  const { columns } = movedTables[name]!;
  const row: Row = {};
  for (const [column, value] of Object.entries(record)) {
    const declared = columns[column];
    if (column === "realm_id") continue;
    if (!declared) {
      row[column] = value;
      continue;
    }
    if (value === null) {
      if (declared.kind !== "unmoved") row[column] = null;
      continue;
    }
    const mapped = mapValue(name, column, declared, record, mapping);
    if (mapped === skipped) return undefined;
    if (mapped !== undefined) row[column] = mapped;
  }
  return row;
}

const skipped = Symbol("skipped");

function mapValue(
  name: string,
  column: string,
  declared: Column,
  record: Row,
  mapping: Mapping,
): unknown {
  const { ids } = mapping;
  const value = record[column];
  switch (declared.kind) {
    case "id":
      return known(ids.of(name, idOf(column, value)), column, value);
    case "ref": {
      const old = idOf(column, value);
      if (declared.or === "gone") return ids.ofGone(declared.to, old);
      const found = ids.of(declared.to, old);
      if (found !== undefined) return found;
      if (declared.or === "null") return null;
      if (declared.or === "skip") return skipped;
      return known(found, column, value);
    }
    case "refs":
      return listOf(column, value).map((one) =>
        known(ids.of(declared.to, idOf(column, one)), column, one),
      );
    case "upTo":
      return ids.upTo(declared.to, idOf(column, value)) ?? 0;
    case "text":
      return mapText(textOf(column, value), ids);
    case "fragment":
      return mapFragment(textOf(column, value), ids);
    case "json":
      return mapJson(name, column, record, mapping);
    default:
      return undefined;
  }
}

/** Maps columns whose ids are in JSON or in a text. */
function mapJson(name: string, column: string, record: Row, mapping: Mapping): unknown {
  const { ids, fieldTypes } = mapping;
  const value = record[column];
  switch (`${name}.${column}`) {
    case "custom_profile_field_values.value": {
      const field = ids.of("custom_profile_fields", idOf("field_id", record["field_id"]));
      // Type 6 names accounts.
      if (field === undefined || fieldTypes.get(field) !== 6) return value;
      return JSON.stringify(
        listOf(column, parsed(column, value)).flatMap(
          (one) => ids.of("users", idOf(column, one)) ?? [],
        ),
      );
    }
    case "pictures.path": {
      const [, old, file] =
        /^(\d{1,15})\/([A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*)$/.exec(textOf(column, value)) ?? [];
      if (file === undefined || Number(old) !== ids.realm.old || /(?:^|\/)\.+(?:\/|$)/.test(file))
        throw new RecordProblem(`${column}: is not the path of a picture of this organization`);
      return `${ids.realm.new}/${file}`;
    }
    case "pictures.sha256":
    case "attachments.sha256":
      return `\\x${textOf(column, value)}`;
    case "attachments.path_id":
      return ids.path(textOf(column, value));
    case "messages.edit_history":
      return listOf(column, value).map((entry) => mapEdit(objectOf(column, entry), ids));
    case "scheduled_messages.unless":
    case "message_series.unless":
      return listOf(column, value).map((one) => mapCondition(objectOf(column, one), ids));
    case "withheld_messages.condition":
      return mapCondition(objectOf(column, value), ids);
    case "drafts.to": {
      const kind = record["kind"] === "stream" ? "channels" : "users";
      return listOf(column, value).flatMap((one) => ids.of(kind, idOf(column, one)) ?? []);
    }
    case "user_status.emoji_code":
      return record["reaction_type"] === "realm_emoji"
        ? String(ids.of("realm_emoji", Number(value)) ?? 0)
        : value;
    case "event_subscription.narrow":
      return listOf(column, value).map((term) => mapTerm(listOf(column, term), ids));
    case "outgoing_call.conversation": {
      const [, recipient, topic] = /^(\d{1,15}):(.*)$/s.exec(textOf(column, value)) ?? [];
      if (recipient === undefined) throw new RecordProblem(`${column}: is not a conversation`);
      return `${known(ids.of("recipients", Number(recipient)), column, recipient)}:${topic}`;
    }
    default:
      throw new Error(`${name}.${column} is declared as JSON, but nothing maps it`);
  }
}

function mapEdit(entry: Row, ids: RecordIds): Row {
  const { user_id: user, stream, prev_stream: before, prev_content: content } = entry;
  const { prev_rendered_content: _, ...rest } = entry;
  return {
    ...rest,
    ...(user === undefined || user === null
      ? {}
      : { user_id: ids.of("users", idOf("user_id", user)) ?? null }),
    ...(stream === undefined ? {} : { stream: ids.of("channels", idOf("stream", stream)) ?? 0 }),
    ...(before === undefined
      ? {}
      : { prev_stream: ids.of("channels", idOf("stream", before)) ?? 0 }),
    ...(content === undefined
      ? {}
      : { prev_content: mapText(textOf("prev_content", content), ids) }),
  };
}

function mapCondition(condition: Row, ids: RecordIds): Row {
  if (!Array.isArray(condition["by"])) return condition;
  return {
    ...condition,
    by: condition["by"].map((one) => known(ids.of("users", idOf("by", one)), "by", one)),
  };
}

function mapTerm([operator, operand, ...rest]: readonly unknown[], ids: RecordIds): unknown[] {
  const kind = /^-?(?:channel|stream)s?$/.test(String(operator)) ? "channels" : "users";
  const one = (id: unknown) => (typeof id === "number" ? (ids.of(kind, id) ?? 0) : id);
  return [operator, Array.isArray(operand) ? operand.map(one) : one(operand), ...rest];
}

/** Returns the row of a conversation: members in order, and the hash by which it is found. */
export function completeRecipient(row: Row): Row {
  if (row["channel_id"] !== null && row["channel_id"] !== undefined)
    return { id: row["id"], channel_id: row["channel_id"] };
  const members = [...new Set(row["member_ids"] as number[])].sort((a, b) => a - b);
  const hash = memberHash(memberKey(members)).toString("hex");
  return { id: row["id"], member_ids: members, member_hash: `\\x${hash}` };
}

function known(found: number | undefined, column: string, value: unknown): number {
  if (found !== undefined) return found;
  throw new RecordProblem(`${column}: the export has no record ${String(value)}`);
}

export function idOf(column: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new RecordProblem(`${column}: is not an id`);
}

function textOf(column: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new RecordProblem(`${column}: is not a text`);
}

/** The most members of a list: accounts of a conversation, entries of a history. */
const maxList = 100_000;

function listOf(column: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length <= maxList) return value;
  throw new RecordProblem(`${column}: is not a list, or a very long one`);
}

function objectOf(column: string, value: unknown): Row {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Row;
  throw new RecordProblem(`${column}: is not an object`);
}

function parsed(column: string, value: unknown): unknown {
  try {
    return JSON.parse(textOf(column, value));
  } catch {
    throw new RecordProblem(`${column}: is not JSON`);
  }
}
