import { movedTables, type MovedTable } from "./tables.ts";

/** Returns the SQL condition for the rows of an organization, `$1`, in an exported table. */
export function scopeOf(name: string): string {
  const table = movedTables[name]!;
  if (name === "realms") return "id = $1";
  if (table.by === "realm") return "realm_id = $1";
  if (table.by === "used") return usedClients;
  const parent = parentOf(table, table.by);
  return `"${table.by}" IN (SELECT id FROM "${parent}" WHERE ${scopeOf(parent)})`;
}

function parentOf(table: MovedTable, name: string): string {
  const column = table.columns[name];
  if (column?.kind !== "ref") throw new Error(`${name} does not refer to a table`);
  return column.to;
}

/** SQL: the programs that the organization's rows name. The table belongs to the installation. */
const usedClients = `id IN (SELECT client_id FROM messages WHERE realm_id = $1
  UNION SELECT client_id FROM scheduled_messages WHERE realm_id = $1
  UNION SELECT client_id FROM message_series WHERE realm_id = $1)`;
