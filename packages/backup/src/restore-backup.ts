import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import {
  applyMigrations,
  chatMigrations,
  checkServer,
  type MigrationSet,
  replayMigrations,
  type Sql,
  type Statement,
} from "@carillon/db";
import { forgetJobs } from "@carillon/scheduling";
import { StartupError } from "@carillon/kit";
import type pg from "pg";

import { ask, onConnection } from "./connect.ts";
import { CopiedRows } from "./copied-rows.ts";
import { dropForeignKeys, type ForeignKey, restoreForeignKeys } from "./foreign-keys.ts";
import {
  unknownLineError,
  type Header,
  isCopy,
  readHeader,
  readSequence,
  readTrailer,
} from "./format.ts";
import {
  copyInto,
  type RestoreTargets,
  listRestoreTargets,
  setSequence,
} from "./restore-targets.ts";
import { type Part, readParts } from "./read-parts.ts";
import { listTables } from "./tables.ts";

export interface Restored {
  readonly rows: number;
  /** When the backup was made, in ISO 8601. */
  readonly madeAt: string;
  /** Migrations of this build that the backup did not have. */
  readonly migrated: readonly string[];
}

/**
 * Restores a backup into an empty database in one transaction, whatever version of PostgreSQL it comes from; then
 * applies the migrations of this build. Workers add the delivery jobs again, and clients register again.
 * @param set the migrations of the database: chat server or bouncer
 * @param check inspects the restored database before the commit; an error rolls everything back
 * @throws StartupError when the database is not empty, or the backup is incomplete or not from Carillon
 */
export async function restoreBackup(
  databaseUrl: string,
  source: Readable,
  check: (sql: Sql) => Promise<void> = async () => {},
  set: MigrationSet = chatMigrations,
): Promise<Restored> {
  const restored = await onConnection(databaseUrl, async (client) => {
    await checkServer(client);
    await ask(client, "BEGIN");
    await checkEmpty(client, set);
    const text = unpacked(source);
    const result = await load(client, readParts(text, isCopy), set).catch(
      (error: NodeJS.ErrnoException) => {
        // Errors of zlib: not gzip, changed, or cut off.
        if (error.code?.startsWith("Z_"))
          throw new StartupError(`the backup cannot be unpacked (${error.message})`);
        throw error;
      },
    );
    await check(sqlOf(client));
    await ask(client, "COMMIT");
    return result;
  });
  const migrated = await applyMigrations(databaseUrl, set);
  await onConnection(databaseUrl, (client) => ask(client, "ANALYZE"));
  return { rows: restored.rows, madeAt: restored.header.madeAt, migrated };
}

function sqlOf(client: pg.Client): Sql {
  return {
    rows: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []) => {
      const text = typeof statement === "string" ? statement : statement.text;
      return (await ask(client, text, values)) as Row[];
    },
  };
}

function unpacked(source: Readable): AsyncIterable<Buffer> {
  const gunzip = createGunzip();
  source.once("error", (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function checkEmpty(client: pg.Client, { variable }: MigrationSet): Promise<void> {
  const tables = await listTables(client);
  if (tables.length === 0) return;
  throw new StartupError(
    `${variable}: the database is not empty: restore the backup into a new database, to which no migration has been applied`,
  );
}

async function load(
  client: pg.Client,
  parts: AsyncGenerator<Part>,
  set: MigrationSet,
): Promise<{ rows: number; header: Header }> {
  let header: Header | undefined;
  let copying: CopiedRows | undefined;
  let keys: readonly ForeignKey[] = [];
  let targets: RestoreTargets = { tables: new Map(), sequences: new Set() };
  const counted = { tables: 0, rows: 0 };
  let complete = false;
  for await (const part of parts) {
    if (complete) throw new StartupError("the backup has lines after its trailer");
    if (!header) {
      header = readHeader("line" in part ? part.line : "");
      checkOrigin(header, set);
      await replayMigrations(client, header.migrations, set);
      keys = await dropForeignKeys(client);
      await emptyTables(client);
      targets = await listRestoreTargets(client);
    } else if ("rows" in part) {
      await copying?.write(part.rows);
    } else if ("end" in part) {
      if (copying) counted.rows += await copying.end();
      counted.tables++;
      copying = undefined;
    } else if (isCopy(part.line)) {
      copying = new CopiedRows(client, copyInto(part.line, targets));
    } else if (readSequence(part.line)) {
      await ask(client, setSequence(part.line, targets));
    } else {
      const trailer = readTrailer(part.line);
      if (!trailer) throw unknownLineError();
      if (trailer.rows !== counted.rows || trailer.tables !== counted.tables)
        throw new StartupError("the backup is incomplete: rows are missing");
      complete = true;
    }
  }
  if (!header || !complete)
    throw new StartupError("the backup is truncated: its last line is missing");
  await restoreForeignKeys(client, keys);
  if (set === chatMigrations) await forgetJobs(sqlOf(client));
  return { rows: counted.rows, header };
}

function checkOrigin({ of }: Header, set: MigrationSet): void {
  if ((of === "bouncer") === (set.database === "bouncer")) return;
  throw new StartupError(
    of === "bouncer"
      ? "this is a backup of a push bouncer: restore it with --bouncer"
      : "this is a backup of a chat server: restore it without --bouncer",
  );
}

/** Deletes rows that migrations inserted. */
async function emptyTables(client: pg.Client): Promise<void> {
  const names = (await listTables(client)).map(({ name }) => `"${name}"`);
  await ask(client, `TRUNCATE ${names.join(", ")}`);
}
