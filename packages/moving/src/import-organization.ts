import { type Database } from "@carillon/db";
import { createImportedOrganization } from "@carillon/domain";
import type { FileStore } from "@carillon/files";
import { StartupError } from "@carillon/kit";
import { loadRealm, realmUrl, type Site } from "@carillon/model";
import { type OrganizationRecord, TransferError, TransferReader } from "@carillon/transfer";
import type pg from "pg";

import { ask, onConnection } from "./connect.ts";
import { discardImport } from "./discard-import.ts";
import { finishImport, isOfServing } from "./finish-import.ts";
import { advanceSequences } from "./greatest-ids.ts";
import { startImporting } from "./import-records.ts";
import { runSteps } from "./import-steps.ts";
import { readColumns } from "./insert-rows.ts";
import type { Import } from "./journal.ts";
import { lockExport } from "./lock-for-session.ts";
import { FoundIds } from "./new-ids.ts";
import { openJournal } from "./open-journal.ts";
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
export async function importOrganization(options: ImportOptions): Promise<ImportedOrganization> {
  const reader = await TransferReader.open(options.folder);
  return onConnection(options.databaseUrl, async (client) => {
    await lockExport(client, reader.digest);
    const organization = await readOrganization(reader);
    await reader.verify();
    checkKey(reader, options.key);
    const { id, subdomain } = await openJournal(client, reader, organization, options);
    try {
      return await importContents(client, reader, { ...options, id, subdomain, organization });
    } catch (error) {
      if (error instanceof TransferError)
        await discardImport(client, id, { progress: options.progress });
      throw error;
    }
  });
}

/** Returns the record of the organization, and checks that each table of the export can be imported. */
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

/** An import that has a journal. */
interface BegunImport extends ImportOptions {
  readonly id: number;
  readonly subdomain: string;
  readonly organization: OrganizationRecord;
}

async function importContents(
  client: pg.Client,
  reader: TransferReader,
  options: BegunImport,
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
  await runSteps(of);
  await finishImport(of);
  return {
    realmId,
    name: organization.name,
    subdomain,
    messages: reader.numberOf("messages"),
    accounts: reader.numberOf("users"),
    isReadOnly: isOfServing(reader),
  };
}

/** Returns the id of the new organization; creates it the first time. */
async function organizationOf(client: pg.Client, options: BegunImport): Promise<number> {
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
