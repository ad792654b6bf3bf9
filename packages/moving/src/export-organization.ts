import { resolve } from "node:path";
import type { FileStore } from "@carillon/files";
import { StartupError } from "@carillon/kit";
import type { Secrets } from "@carillon/model";
import { type Manifest, TransferWriter } from "@carillon/transfer";
import type pg from "pg";

import { ask, onConnection } from "./connect.ts";
import { exportedRows } from "./export-rows.ts";
import { readGreatestIds } from "./greatest-ids.ts";
import { lockForSession } from "./lock-for-session.ts";
import { scopeOf } from "./scope.ts";
import { movedTables } from "./tables.ts";
import type { TransferKey } from "./transfer-key.ts";

/** An export to be made. */
export interface ExportOptions {
  readonly databaseUrl: string;
  readonly realmId: number;
  /** Must not have a finished export; files of an unfinished one are kept. */
  readonly folder: string;
  /** The address of the organization. */
  readonly url: string;
  readonly secrets: Secrets;
  /** Returns the key of the export. Called after the lock of the folder was taken, because it may create the key file. */
  readonly openKey: () => TransferKey;
  readonly files: FileStore;
  /** Called after the files and before the rows are read; makes the export final if it is given. */
  readonly closeOrganization?: (() => Promise<void>) | undefined;
  readonly progress?: (what: string, done: number) => void;
}

/** What an export has. */
export interface Exported {
  readonly manifest: Manifest;
  readonly files: { readonly copied: number; readonly kept: number };
}

/**
 * Writes an organization into a folder: first the files, which may take hours, then its rows as one state of the database
 * has them, and the files that were uploaded meanwhile.
 * @throws StartupError; TransferError
 */
export function exportOrganization(options: ExportOptions): Promise<Exported> {
  const { databaseUrl, realmId, folder, url, secrets, closeOrganization } = options;
  const progress = options.progress ?? (() => {});
  return onConnection(databaseUrl, async (client) => {
    await lockForSession(
      client,
      `export ${resolve(folder)}`,
      "another process is exporting into this folder: wait until it has ended, or give another folder",
    );
    const key = options.openKey();
    const writer = await TransferWriter.open(folder, { kind: "carillon", url });
    const files = { copied: 0, kept: 0 };
    const copy = () => copyFiles(client, writer, files, options);
    await copy();
    await closeOrganization?.();
    await ask(client, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    for (const name of Object.keys(movedTables)) {
      const count = await writer.writeLines(
        name,
        counted(exportedRows(client, name, { realmId, secrets, key }), (done) =>
          progress(name, done),
        ),
      );
      progress(name, count);
    }
    // Once more, because files were uploaded during the first copying. These rows and the records are of one snapshot.
    await copy();
    const greatestIds = await readGreatestIds(client);
    await ask(client, "COMMIT");
    if (closeOrganization) await requireStillClosed(client, realmId);
    const manifest = await writer.finish({
      final: closeOrganization !== undefined,
      keyId: key.id,
      greatestIds,
    });
    return { manifest, files };
  });
}

/**
 * Checks that the organization still refuses changes. Its rows were read for minutes: if it was reopened meanwhile, both
 * installations would send what is scheduled.
 * @throws StartupError
 */
async function requireStillClosed(client: pg.Client, realmId: number): Promise<void> {
  const rows = await ask(
    client,
    `SELECT FROM realms r JOIN event_head h ON h.realm_id = r.id
     WHERE r.id = $1 AND r.read_only_since IS NOT NULL AND h.last_seq IS NOT NULL`,
    [realmId],
  );
  if (rows.length === 0)
    throw new StartupError(
      "the organization was reopened during its final export: run the export again",
    );
}

async function* counted(
  texts: AsyncIterable<string>,
  report: (done: number) => void,
): AsyncGenerator<string> {
  let done = 0;
  for await (const text of texts) {
    yield text;
    if (++done % 10_000 === 0) report(done);
  }
}

interface StoredContent {
  readonly name: string;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

const contentsSql = `SELECT path_id AS name, object_key AS key, size::float8 AS size, encode(sha256, 'hex') AS sha256
    FROM attachments WHERE ${scopeOf("attachments")}
  UNION ALL
  SELECT path, object_key, size, encode(sha256, 'hex') FROM pictures WHERE ${scopeOf("pictures")}
  ORDER BY name`;

async function copyFiles(
  client: pg.Client,
  writer: TransferWriter,
  files: { copied: number; kept: number },
  { realmId, files: store, progress }: ExportOptions,
): Promise<void> {
  const contents = await ask<StoredContent>(client, contentsSql, [realmId]);
  files.kept = 0;
  for (const { name, key, size, sha256 } of contents) {
    const copied = await writer
      .addFile({ sha256, size }, async () => (await store.get(key)).stream)
      .catch((error: Error) => {
        throw new StartupError(`the uploaded file ${name} cannot be copied: ${error.message}`);
      });
    if (copied) files.copied++;
    else files.kept++;
    if ((files.copied + files.kept) % 100 === 0) progress?.("files", files.copied + files.kept);
  }
}
