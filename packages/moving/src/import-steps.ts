import { groupOfRole } from "@carillon/contract";
import { StartupError } from "@carillon/kit";

import { ask, inTransaction } from "./connect.ts";
import { importAttachments, importPictures, recordThumbnails } from "./import-files.ts";
import { importMessages } from "./import-messages.ts";
import { importLater, importRecords, type Importing, laterColumns } from "./import-records.ts";
import { importSettings } from "./import-settings.ts";
import { placeOf, recordPlace } from "./journal.ts";
import { numberedTables, numberRecords } from "./number-records.ts";
import { movedTables } from "./tables.ts";

type Step = (of: Importing, step: string, after: number) => Promise<void>;

/** The steps of an import in their order, by their names in the journal. */
const steps: ReadonlyArray<readonly [name: string, run: Step]> = [
  ...numberedTables.map((table): readonly [string, Step] => [
    `number ${table}`,
    (of, step, after) => numberRecords(of, table, step, after),
  ]),
  ...Object.keys(movedTables).flatMap((table): Array<readonly [string, Step]> => {
    if (table === "realms" || table === "clients") return [];
    if (table === "messages") return [["messages", importMessages]];
    if (table === "attachments")
      return [
        ["attachments", importAttachments],
        ["thumbnails", recordThumbnails],
      ];
    if (table === "pictures") return [["pictures", importPictures]];
    const own: readonly [string, Step] = [
      table,
      (of, step, after) => importRecords(of, table, step, after),
    ];
    if (table === "recipients") return [own, ["recipients of channels", addRecipients]];
    if (table === "users") return [own, ["roles", addRoles]];
    if (table === "channels") return [own, ["settings", importSettings]];
    return [own];
  }),
  ...[...laterColumns.keys()].map((table): readonly [string, Step] => [
    `later ${table}`,
    (of, step, after) => importLater(of, table, step, after),
  ]),
];

/**
 * Runs the steps of an import that are not done, from the line that its journal names.
 * @throws StartupError if the journal names a step of another version
 */
export async function runSteps(of: Importing): Promise<void> {
  const place = await placeOf(of.client, of.id);
  for (const [name, run] of steps.slice(indexOfStep(place.step)))
    await run(of, name, name === place.step ? place.line : 0);
}

function indexOfStep(step: string): number {
  if (step === "") return 0;
  const index = steps.findIndex(([name]) => name === step);
  if (index < 0)
    throw new StartupError(
      `another version of Carillon has begun this import, with a step that this one lacks (${step}): end it with that version, or delete what it has stored with --discard`,
    );
  return index;
}

/** Adds the recipients of channels for which the export has none. */
async function addRecipients(of: Importing, step: string): Promise<void> {
  const { client, realmId } = of;
  await inTransaction(client, async () => {
    await ask(
      client,
      `INSERT INTO recipients (realm_id, channel_id) SELECT realm_id, id FROM channels WHERE realm_id = $1
       ON CONFLICT DO NOTHING`,
      [realmId],
    );
    await recordPlace(of, { step, line: 0 });
  });
}

/** Adds accounts to the groups of their roles, which an export cannot choose. */
async function addRoles(of: Importing, step: string): Promise<void> {
  const { client, realmId, systemGroups: groups } = of;
  await inTransaction(client, async () => {
    await ask(
      client,
      `INSERT INTO user_group_member (group_id, user_id)
       SELECT coalesce(g.id, $4), u.id
       FROM users u LEFT JOIN unnest($2::int[], $3::int[]) AS g (role, id) ON g.role = u.role
       WHERE u.realm_id = $1 AND u.system_bot_kind IS NULL ON CONFLICT DO NOTHING`,
      [
        realmId,
        Object.keys(groupOfRole).map(Number),
        Object.values(groupOfRole).map((name) => groups[name]),
        groups["role:everyone"],
      ],
    );
    await recordPlace(of, { step, line: 0 });
  });
}
