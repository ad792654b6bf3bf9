import { groupOfRole } from "@carillon/contract";
import { type Database, lockKey } from "@carillon/db";
import {
  checkSubdomain,
  createImportedOrganization,
  noSubdomain,
  whyUnfinished,
} from "@carillon/domain";
import type { FileStore } from "@carillon/files";
import { StartupError } from "@carillon/kit";
import { hostOf, loadRealm, realmUrl, type Site } from "@carillon/model";
import { type OrganizationRecord, TransferError, TransferReader } from "@carillon/transfer";
import type pg from "pg";

import { ask, inTransaction, onConnection } from "./connect.ts";
import { discardImport, discardStep } from "./discard-import.ts";
import { advanceSequences } from "./greatest-ids.ts";
import { importAttachments, importPictures, recordThumbnails } from "./import-files.ts";
import { importMessages } from "./import-messages.ts";
import {
  importLater,
  importRecords,
  type Importing,
  laterColumns,
  startImporting,
} from "./import-records.ts";
import { importSettings } from "./import-settings.ts";
import { readColumns } from "./insert-rows.ts";
import { type Import, placeOf, recordPlace } from "./journal.ts";
import { lockForSession } from "./lock-for-session.ts";
import { FoundIds } from "./new-ids.ts";
import { numberedTables, numberRecords } from "./number-records.ts";
import { formerTables, movedTables } from "./tables.ts";
import type { TransferKey } from "./transfer-key.ts";

/** An import to be made. */
export interface ImportOptions {
  readonly databaseUrl: string;
  readonly db: Database;
  readonly site: Site;
  readonly folder: string;
  /** The label of the new address; undefined for that of the export. */
  readonly subdomain: string | undefined;
  /** Undefined if none was given. */
  readonly key: TransferKey | undefined;
  readonly files: FileStore;
  readonly progress?: (what: string, done: number) => void;
  /** Gets a sentence with file and line for each record that the import has changed. */
  readonly report?: (change: string) => void;
}

/** An organization that was imported. */
export interface ImportedOrganization {
  readonly realmId: number;
  readonly name: string;
  readonly subdomain: string;
  readonly messages: number;
  readonly accounts: number;
  /** Whether it is read-only, because the organization of the export still serves and sends what is scheduled. */
  readonly isReadOnly: boolean;
}

/**
 * Imports an organization, or goes on with an import that was broken off. The organization can be reached when it is
 * complete. A fault of the export deletes what was imported.
 * @throws TransferError for a fault of the export; StartupError; ApiError for a subdomain that cannot be one
 */
export function importOrganization(options: ImportOptions): Promise<ImportedOrganization> {
  return withReader(options, async (client, reader) => {
    const organization = await readOrganization(reader);
    await reader.verify();
    checkKey(reader, options.key);
    const { id, subdomain } = await openJournal(client, reader, organization, options);
    try {
      return await runSteps(client, reader, { ...options, id, subdomain, organization });
    } catch (error) {
      if (error instanceof TransferError) await discardImport(client, id);
      throw error;
    }
  });
}

/**
 * An unfinished import: that of the export in a folder, or, if the folder is lost, the one of an organization that is to get
 * a subdomain.
 */
export type UnfinishedImport = { readonly folder: string } | { readonly subdomain: string };

/**
 * Deletes what an unfinished import has stored.
 * @throws StartupError if there is no such import
 */
export async function giveUpImport(databaseUrl: string, which: UnfinishedImport): Promise<void> {
  const reader = "folder" in which ? await TransferReader.open(which.folder) : undefined;
  await onConnection(databaseUrl, async (client) => {
    const [column, value] =
      "folder" in which ? ["digest", reader!.digest] : ["subdomain", which.subdomain];
    const [row] = await ask<{ id: number; digest: string }>(
      client,
      `SELECT id, digest FROM organization_imports WHERE ${column} = $1 AND finished_at IS NULL`,
      [value],
    );
    if (!row) throw new StartupError(await whyNothingToDiscard(client, which));
    await lockExport(client, row.digest);
    await discardImport(client, row.id);
  });
}

async function whyNothingToDiscard(client: pg.Client, which: UnfinishedImport): Promise<string> {
  if ("folder" in which) return "there is no unfinished import of this export";
  const rows = await ask<{ subdomain: string }>(
    client,
    "SELECT subdomain FROM organization_imports WHERE finished_at IS NULL ORDER BY id",
  );
  const labels = rows.map(({ subdomain }) => subdomain || noSubdomain).join(", ");
  return `there is no unfinished import of an organization ${nameOf(which.subdomain)}${labels === "" ? "" : `; unfinished are: ${labels}`}`;
}

/** Runs `work` on a connection that has the lock of the export. */
async function withReader<Result>(
  { databaseUrl, folder }: ImportOptions,
  work: (client: pg.Client, reader: TransferReader) => Promise<Result>,
): Promise<Result> {
  const reader = await TransferReader.open(folder);
  return onConnection(databaseUrl, async (client) => {
    await lockExport(client, reader.digest);
    return work(client, reader);
  });
}

/** Takes the lock of an export for the session. */
async function lockExport(client: pg.Client, digest: string): Promise<void> {
  await lockForSession(
    client,
    `import ${digest}`,
    "another process is importing this export: wait until it has ended",
  );
}

async function readOrganization(reader: TransferReader): Promise<OrganizationRecord> {
  if (reader.numberOf("realms") !== 1)
    throw new TransferError("realms.ndjson", undefined, "must have one record, the organization");
  for (const table of reader.tables)
    if (!(table in movedTables) && !formerTables.has(table))
      throw new TransferError(`${table}.ndjson`, undefined, "is of no table that is imported");
  for await (const { record } of reader.records("realms")) return record;
  throw new TransferError("realms.ndjson", undefined, "is empty");
}

function checkKey({ manifest: { keyId } }: TransferReader, key: TransferKey | undefined): void {
  if (keyId === undefined || key?.id === keyId) return;
  throw new StartupError(
    key
      ? "the key is not that of this export: give the file that was written with it"
      : "the secrets of this export are sealed: give the file with its key, --key-file FILE",
  );
}

/** Finds the journal of the import, or begins it. */
async function openJournal(
  client: pg.Client,
  { digest }: TransferReader,
  organization: OrganizationRecord,
  options: ImportOptions,
): Promise<{ id: number; subdomain: string }> {
  const [found] = await ask<{
    id: number;
    subdomain: string;
    step: string;
    finished: Date | null;
    current: string | null;
  }>(
    client,
    `SELECT i.id, i.subdomain, i.step, i.finished_at AS finished, r.subdomain AS current
     FROM organization_imports i LEFT JOIN realms r ON r.id = i.realm_id WHERE i.digest = $1`,
    [digest],
  );
  if (found?.finished)
    throw new StartupError(
      `this export was imported at ${found.finished.toISOString()}, as the organization ${nameOf(found.current ?? found.subdomain)}: for another copy, export the organization again`,
    );
  const subdomain = checkSubdomain(
    options.subdomain ?? found?.subdomain ?? organization.subdomain ?? "",
  );
  if (found && found.step !== "" && found.subdomain !== subdomain)
    throw new StartupError(
      `this import was begun for an organization ${nameOf(found.subdomain)}: go on without another --subdomain, or delete what it has stored with --discard`,
    );
  return options.db.transaction(async (tx) => {
    // Organizations are created under this lock, too.
    await lockKey(tx, "firstOrganization", 0);
    const [taken] = await ask<{ isUnfinished: boolean; hasMoved: boolean }>(
      client,
      `SELECT false AS "isUnfinished", r.deactivated AND EXISTS (
         SELECT FROM event_head h WHERE h.realm_id = r.id AND h.last_seq IS NOT NULL) AS "hasMoved"
       FROM realms r WHERE r.subdomain = $1 UNION ALL
       SELECT true, false FROM organization_imports WHERE subdomain = $1 AND finished_at IS NULL AND digest <> $2`,
      [subdomain, digest],
    );
    if (taken) throw new StartupError(whyTaken(subdomain, taken));
    const [row] = await ask<{ id: number }>(
      client,
      `INSERT INTO organization_imports (digest, subdomain) VALUES ($1, $2)
       ON CONFLICT (digest) DO UPDATE SET subdomain = excluded.subdomain RETURNING id`,
      [digest, subdomain],
    );
    return { id: row!.id, subdomain };
  });
}

function whyTaken(
  subdomain: string,
  { isUnfinished, hasMoved }: { readonly isUnfinished: boolean; readonly hasMoved: boolean },
): string {
  if (isUnfinished)
    return `${whyUnfinished(subdomain)}; or give this one another label, --subdomain NEW`;
  const taken = `there is already an organization ${nameOf(subdomain)}`;
  if (hasMoved)
    return `${taken}, which has moved away: if this export is of that organization, run carillon organization retire --organization ${subdomain || noSubdomain} first, so that it gets its subdomain and its API keys again; otherwise give the imported one another label, --subdomain NEW`;
  return `${taken}: give the imported one another label, --subdomain NEW`;
}

const nameOf = (subdomain: string) =>
  subdomain === "" ? "without a subdomain" : `with the subdomain ${subdomain}`;

interface Running extends ImportOptions {
  readonly id: number;
  readonly subdomain: string;
  readonly organization: OrganizationRecord;
}

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

async function runSteps(
  client: pg.Client,
  reader: TransferReader,
  options: Running,
): Promise<ImportedOrganization> {
  const { id, db, site, files, organization, subdomain } = options;
  await advanceSequences(client, reader.manifest.greatestIds ?? {});
  const realmId = await organizationOf(client, options);
  const realm = { old: organization.id, new: realmId };
  const newUrl = realmUrl(site, { ...(await loadRealm(db, realmId)), subdomain });
  const base: Import = {
    client,
    db,
    site,
    secrets: site.secrets,
    files,
    reader,
    id,
    realmId,
    ids: new FoundIds(client, id, { sourceUrl: reader.manifest.source.url, newUrl, realm }),
    progress: options.progress ?? (() => {}),
    report: options.report ?? (() => {}),
  };
  const of = await startImporting(base, {
    key: options.key,
    columns: await readColumns(client),
    subdomain,
  });
  const place = await placeOf(client, id);
  if (place.step === discardStep)
    throw new StartupError(
      "the deletion of this unfinished import was broken off: end it with --discard",
    );
  const begun = place.step === "" ? 0 : steps.findIndex(([name]) => name === place.step);
  if (begun < 0)
    throw new StartupError(
      `another version of Carillon has begun this import, with a step that this one lacks (${place.step}): end it with that version, or delete what it has stored with --discard`,
    );
  for (const [index, [name, run]] of steps.entries()) {
    if (index < begun) continue;
    await run(of, name, name === place.step ? place.line : 0);
  }
  await finish(of);
  return {
    realmId,
    name: organization.name,
    subdomain,
    messages: reader.numberOf("messages"),
    accounts: reader.numberOf("users"),
    isReadOnly: isOfServing(reader),
  };
}

/** Whether the organization of the export goes on serving: Carillon's exports that are not final. */
function isOfServing({ manifest: { source, final } }: TransferReader): boolean {
  return source.kind === "carillon" && !final;
}

/** Returns the organization of the import; creates it the first time. */
async function organizationOf(client: pg.Client, options: Running): Promise<number> {
  const { id, db, site, organization } = options;
  const [row] = await ask<{ realm: number | null }>(
    client,
    "SELECT realm_id AS realm FROM organization_imports WHERE id = $1",
    [id],
  );
  if (row?.realm) return row.realm;
  const name = organization.name;
  return (
    await db.transaction((tx) => createImportedOrganization(tx, site, { importId: id, name }))
  ).id;
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

/** Gives the organization its address, by which it can be reached, and ends the import. */
async function finish(of: Importing): Promise<void> {
  const { client, realmId, id, subdomain } = of;
  await inTransaction(client, async () => {
    for (const text of finishing) await ask(client, text, [realmId]);
    const host = hostOf(of.site, { ...(await loadRealm(of.db, realmId)), subdomain });
    await ask(
      client,
      `UPDATE users SET delivery_email = system_bot_kind || '-bot@' || $2, email = system_bot_kind || '-bot@' || $2
       WHERE realm_id = $1 AND system_bot_kind IS NOT NULL`,
      [realmId, host],
    );
    // Both organizations would send what is scheduled, and call the same endpoints.
    await ask(
      client,
      `UPDATE realms SET subdomain = $2, deactivated = false, read_only_since = CASE WHEN $3 THEN now() END WHERE id = $1`,
      [realmId, subdomain, isOfServing(of.reader)],
    );
    await ask(client, "UPDATE organization_imports SET finished_at = now() WHERE id = $1", [id]);
  });
  await ask(client, "DELETE FROM import_ids WHERE import_id = $1", [id]);
  await ask(client, "DELETE FROM import_paths WHERE import_id = $1", [id]);
}

/** What is derived from the imported rows. */
const finishing = [
  `UPDATE channels c SET first_message_id = (
     SELECT min(m.id) FROM messages m JOIN recipients r ON r.id = m.recipient_id WHERE r.channel_id = c.id)
   WHERE c.realm_id = $1`,
  `UPDATE subscriptions s SET is_user_active = u.is_active FROM users u
   WHERE u.id = s.user_id AND u.realm_id = $1 AND s.is_user_active <> u.is_active`,
  `UPDATE channels c SET subscriber_count = (
     SELECT count(*) FROM subscriptions s WHERE s.channel_id = c.id AND s.active AND s.is_user_active)
   WHERE c.realm_id = $1`,
  `INSERT INTO realm_storage (realm_id, bytes_used)
   SELECT $1, coalesce(sum(size), 0) FROM attachments WHERE realm_id = $1
   ON CONFLICT (realm_id) DO UPDATE SET bytes_used = excluded.bytes_used`,
  `UPDATE bot_storage_parts p SET size = length(p.name) + length(p.value) FROM users u
   WHERE u.id = p.bot_id AND u.realm_id = $1 AND p.size <> length(p.name) + length(p.value)`,
  `INSERT INTO bot_storage_usage (bot_id, size)
   SELECT p.bot_id, sum(p.size) FROM bot_storage_parts p JOIN users u ON u.id = p.bot_id WHERE u.realm_id = $1 GROUP BY p.bot_id
   ON CONFLICT (bot_id) DO UPDATE SET size = excluded.size`,
  "UPDATE scheduled_messages SET alarmed_at = NULL WHERE realm_id = $1 AND NOT delivered AND NOT failed",
];
