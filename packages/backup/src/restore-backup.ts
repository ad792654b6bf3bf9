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
import type { FileStore } from "@carillon/files";
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
  readEndOfRows,
  readHeader,
  readObjectLine,
  readSequence,
  readTrailer,
  type RowCount,
  whatFollows,
} from "./format.ts";
import {
  copyInto,
  type RestoreTargets,
  listRestoreTargets,
  setSequence,
} from "./restore-targets.ts";
import { type Part, readParts } from "./read-parts.ts";
import { RestoredObjects, type RestoredFiles } from "./restore-objects.ts";
import { listTables } from "./tables.ts";

export interface Restored {
  readonly rows: number;
  /** When the backup was made, in ISO 8601. */
  readonly madeAt: string;
  /** Migrations of this build that the backup did not have. */
  readonly migrated: readonly string[];
  /** Undefined if the backup has no files, or they were left out. */
  readonly files: RestoredFiles | undefined;
}

export interface RestoreOptions {
  /** The migrations of the database: chat server or bouncer. Default: chat server. */
  readonly set?: MigrationSet;
  /** Inspects the restored rows, before any file is stored; an error rolls everything back. */
  readonly check?: (sql: Sql) => Promise<void>;
  /** The store for the uploaded files of the backup. Default: they are left out. */
  readonly files?: FileStore | undefined;
}

/**
 * Restores a backup into an empty database in one transaction, whatever version of PostgreSQL it comes from; then
 * applies the migrations of this build. Workers add the delivery jobs again, and clients register again.
 *
 * Uploaded files are stored before the transaction commits. Those of a failed restore stay in the store without a row;
 * a repeated restore finds them there.
 * @throws StartupError when the database is not empty, or the backup is incomplete or not from Carillon;
 *   StorageUnavailable
 */
export async function restoreBackup(
  databaseUrl: string,
  source: Readable,
  { set = chatMigrations, check = async () => {}, files }: RestoreOptions = {},
): Promise<Restored> {
  const restored = await onConnection(databaseUrl, async (client) => {
    await checkServer(client);
    await ask(client, "BEGIN");
    await checkEmpty(client, set);
    const loader = new Loader(client, set, check, files);
    try {
      const result = await loader.load(readParts(unpacked(source), whatFollows));
      await ask(client, "COMMIT");
      return result;
    } catch (error) {
      await loader.abandon();
      // Errors of zlib: not gzip, changed, or cut off.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code?.startsWith("Z_"))
        throw new StartupError(`the backup cannot be unpacked (${message})`);
      throw error;
    }
  });
  const migrated = await applyMigrations(databaseUrl, set);
  await onConnection(databaseUrl, (client) => ask(client, "ANALYZE"));
  const { rows, header, files: stored } = restored;
  return { rows, madeAt: header.madeAt, migrated, files: stored };
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
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
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

/** Loads the parts of a backup into the database and the file store. */
class Loader {
  readonly #client: pg.Client;
  readonly #set: MigrationSet;
  readonly #check: (sql: Sql) => Promise<void>;
  readonly #objects: RestoredObjects | undefined;
  readonly #files: FileStore | undefined;
  readonly #counted = { tables: 0, rows: 0 };
  #header: Header | undefined;
  #keys: readonly ForeignKey[] = [];
  #targets: RestoreTargets = { tables: new Map(), sequences: new Set() };
  #copying: CopiedRows | undefined;
  #hasAllRows = false;
  #objectCount = 0;
  #isComplete = false;

  constructor(
    client: pg.Client,
    set: MigrationSet,
    check: (sql: Sql) => Promise<void>,
    files: FileStore | undefined,
  ) {
    this.#client = client;
    this.#set = set;
    this.#check = check;
    this.#files = files;
    this.#objects = files && new RestoredObjects(files);
  }

  async load(
    parts: AsyncIterable<Part>,
  ): Promise<{ rows: number; header: Header; files: RestoredFiles | undefined }> {
    for await (const part of parts) {
      if (this.#isComplete) throw new StartupError("the backup has lines after its trailer");
      if (!this.#header) this.#header = await this.#begin("line" in part ? part.line : "");
      else if ("rows" in part) await this.#copying?.write(part.rows);
      else if ("bytes" in part) await this.#objects?.write(part.bytes);
      else if ("end" in part) await this.#end();
      else await this.#line(part.line, this.#header);
    }
    if (!this.#header || !this.#isComplete)
      throw new StartupError("the backup is truncated: its last line is missing");
    const files = this.#header.format === 2 ? await this.#objects?.finish() : undefined;
    return { rows: this.#counted.rows, header: this.#header, files };
  }

  /** Stops storing objects. */
  async abandon(): Promise<void> {
    await this.#objects?.abandon();
  }

  async #begin(line: string): Promise<Header> {
    const header = readHeader(line);
    checkOrigin(header, this.#set);
    // First, so that a store that does not work is reported before the rows of a large database are loaded.
    if (header.format === 2) await this.#files?.check();
    await replayMigrations(this.#client, header.migrations, this.#set);
    this.#keys = await dropForeignKeys(this.#client);
    await emptyTables(this.#client);
    this.#targets = await listRestoreTargets(this.#client);
    return header;
  }

  async #end(): Promise<void> {
    if (!this.#copying) {
      await this.#objects?.end();
      return;
    }
    this.#counted.rows += await this.#copying.end();
    this.#counted.tables++;
    this.#copying = undefined;
  }

  async #line(line: string, { format }: Header): Promise<void> {
    if (this.#hasAllRows) {
      const object = readObjectLine(line);
      if (object) {
        if (object.size !== null) this.#objectCount++;
        await this.#objects?.begin(object);
        return;
      }
    } else if (isCopy(line)) {
      this.#copying = new CopiedRows(this.#client, copyInto(line, this.#targets));
      return;
    } else if (readSequence(line)) {
      await ask(this.#client, setSequence(line, this.#targets));
      return;
    }
    const end = format === 2 && !this.#hasAllRows ? readEndOfRows(line) : undefined;
    if (end) {
      await this.#finishRows(end);
      return;
    }
    const trailer = readTrailer(line);
    if (!trailer || (format === 2 && !this.#hasAllRows)) throw unknownLineError();
    if (!this.#hasAllRows) await this.#finishRows(trailer);
    if ((trailer.objects ?? 0) !== this.#objectCount)
      throw new StartupError("the backup is incomplete: uploaded files are missing");
    this.#isComplete = true;
  }

  /**
   * Ends the part of the rows: restores foreign keys, and marks pending work for the relay.
   * @throws StartupError when rows are missing
   */
  async #finishRows({ tables, rows }: RowCount): Promise<void> {
    if (rows !== this.#counted.rows || tables !== this.#counted.tables)
      throw new StartupError("the backup is incomplete: rows are missing");
    this.#hasAllRows = true;
    await restoreForeignKeys(this.#client, this.#keys);
    const sql = sqlOf(this.#client);
    if (this.#set === chatMigrations) await forgetJobs(sql);
    await this.#check(sql);
  }
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
