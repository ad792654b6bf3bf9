import { namedOrganizationSettings, roles } from "@carillon/contract";

import { ask } from "./connect.ts";
import { type Importing, mapRecords } from "./import-records.ts";
import { atLine, inSlicesOf } from "./journal.ts";
import type { Row } from "./map-record.ts";
import { RecordProblem } from "./new-ids.ts";

/**
 * Gives the organization its settings, after the groups and channels that they name and before the messages, so that a
 * faulty one is refused early.
 */
export async function importSettings(of: Importing, step: string, after: number): Promise<void> {
  await inSlicesOf(of, { table: "realms", step, after }, async (records) => {
    for (const { record, line } of records) atLine(line, () => checkSettings(record));
    const [mapped] = await mapRecords(of, "realms", records);
    const { subdomain: _, id: __, ...settings } = mapped!.row;
    const names = Object.keys(settings);
    const columns = of.columns.get("realms")!;
    const unknown = names.find((name) => !columns.has(name));
    if (unknown !== undefined)
      throw new RecordProblem(`realms has no column ${JSON.stringify(unknown)}`);
    await ask(
      of.client,
      `UPDATE realms r SET ${names.map((name) => `"${name}" = n."${name}"`).join(", ")}
       FROM json_populate_record(NULL::realms, $1::json) n WHERE r.id = $2`,
      [JSON.stringify(settings), of.realmId],
    );
    await ask(of.client, addFullMembers, [of.realmId]);
  });
}

/**
 * Checks the settings that are not ids as `PATCH /realm` does.
 * @throws RecordProblem
 */
function checkSettings(record: Row): void {
  for (const [name, { column = name, names, parameter }] of namedOrganizationSettings) {
    const value = record[column] ?? null;
    if (value === null || names === "channel") continue;
    try {
      parameter.codec.decode(typeof value === "string" ? value : JSON.stringify(value));
    } catch (error) {
      throw new RecordProblem(`${column}: ${(error as Error).message}`);
    }
  }
}

/** Adds members to the group of full members, once the waiting period is known. */
const addFullMembers = `INSERT INTO user_group_member (group_id, user_id)
  SELECT g.id, u.id FROM users u JOIN realms r ON r.id = u.realm_id
    JOIN named_user_group g ON g.realm_id = r.id AND g.is_system_group AND g.name = 'role:fullmembers'
  WHERE r.id = $1 AND u.role = ${roles.member} AND u.system_bot_kind IS NULL
    AND u.date_joined <= now() - make_interval(days => r.waiting_period_threshold) ON CONFLICT DO NOTHING`;
