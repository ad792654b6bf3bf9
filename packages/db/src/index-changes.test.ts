import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  administer,
  dropDatabase,
  nth,
  postgresUrl,
  waitFor,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { type MigrationSet, readMigrations } from "./migration-files.ts";
import { applyMigrations, checkMigrations, replayMigrations } from "./migrations.ts";

const rowsBefore = 1_000_000;

describe("a migration outside a transaction", () => {
  let folder: string;
  let set: MigrationSet;
  let name: string;
  let url: string;
  let client: pg.Client;

  const add = async (migration: string, sql: string) => {
    await mkdir(join(folder, migration));
    await writeFile(join(folder, migration, "migration.sql"), sql);
  };
  const connect = async () => {
    const connected = new pg.Client({ connectionString: url, application_name: "test" });
    connected.on("error", () => {});
    await connected.connect();
    return connected;
  };
  const index = async () => {
    const { rows } = await client.query<{ state: string }>(
      `SELECT CASE WHEN indisvalid THEN 'valid' ELSE 'invalid' END AS state FROM pg_index
       WHERE indexrelid = to_regclass('letters_word_idx')`,
    );
    return rows[0]?.state ?? "missing";
  };
  const ledger = async () => {
    const { rows } = await client.query<{ name: string }>(
      'SELECT migration_name AS name FROM "_prisma_migrations" ORDER BY 1',
    );
    return rows.map((row) => row.name);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-migrations-"));
    set = {
      database: "bouncer",
      folder: pathToFileURL(`${folder}/`),
      variable: "TEST_URL",
      command: "test",
    };
    await add(
      "0001_letters",
      "CREATE TABLE letters (id bigserial PRIMARY KEY, word text NOT NULL);",
    );
    name = `carillon_migrations_${randomBytes(6).toString("hex")}`;
    await administer((server) => server.query(`CREATE DATABASE ${name}`));
    url = withDatabase(postgresUrl(), name);
    client = await connect();
  });
  afterEach(async () => {
    await client.end();
    await dropDatabase(name);
    await rm(folder, { recursive: true });
  });

  const wordIndex =
    "-- outside a transaction\n-- Letters by their word.\nCREATE INDEX CONCURRENTLY letters_word_idx ON letters (word);\n";

  it("builds an index over a million rows while others write, and again after an interruption", async function () {
    await applyMigrations(url, set);
    await client.query(
      "INSERT INTO letters (word) SELECT md5(n::text) FROM generate_series(1, $1::int) n",
      [rowsBefore],
    );
    await add("202611230000_word_index", wordIndex);

    // The build waits for this transaction, and only then reads the table.
    const open = await connect();
    await open.query("BEGIN; INSERT INTO letters (word) VALUES ('open')");
    const interrupted = applyMigrations(url, set).catch((error: Error) => error);
    await waitFor(async () => (await index()) === "invalid", { what: "the build has begun" });
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'carillon migrate'`,
    );
    expect(await interrupted).to.be.instanceOf(Error);
    expect(await index()).to.equal("invalid");
    expect(await ledger()).to.deep.equal(["0001_letters"]);
    const refusal = await checkMigrations(client, set).catch((error: Error) => error.message);
    expect(refusal).to.contain("lacks 1 migration(s), first 202611230000_word_index");

    // Writers that would wait for a lock fail.
    let over = false;
    let written = 0;
    const write = async () => {
      const writer = await connect();
      await writer.query("SET lock_timeout = '1s'");
      while (!over) {
        await writer.query("INSERT INTO letters (word) VALUES ('written')");
        await writer.query("UPDATE letters SET word = 'changed' WHERE id = $1", [++written]);
      }
      await writer.end();
    };
    const writing = Promise.all([write(), write()]);
    const migrators = Promise.all([applyMigrations(url, set), applyMigrations(url, set)]);
    const waitsForOpen = async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'carillon migrate' AND wait_event = 'virtualxid'`,
      );
      return rowCount === 1;
    };
    await waitFor(waitsForOpen, { what: "the index is built again" });
    const before = written;
    await waitFor(() => written > before + 20, { what: "others write during the build" });
    expect(await index()).to.equal("invalid");
    await open.query("COMMIT");
    const applied = await migrators;
    over = true;
    await writing;
    await open.end();

    expect(applied.flat()).to.deep.equal(["202611230000_word_index"]);
    expect(await index()).to.equal("valid");
    expect(await ledger()).to.deep.equal(["0001_letters", "202611230000_word_index"]);
    await checkMigrations(client, set);
    await client.query("SET enable_seqscan = off; SET enable_bitmapscan = off");
    const found =
      "SELECT count(*)::int AS n FROM letters WHERE word = ANY('{open,written,changed}')";
    const plan = await client.query<Record<string, string>>(`EXPLAIN ${found}`);
    expect(JSON.stringify(plan.rows)).to.contain("letters_word_idx");
    const byIndex = nth((await client.query<{ n: number }>(found)).rows, 0).n;
    await client.query("DROP INDEX letters_word_idx");
    expect(byIndex).to.equal(nth((await client.query<{ n: number }>(found)).rows, 0).n);
  });

  it("continues with the indexes that an interrupted run did not finish", async () => {
    await applyMigrations(url, set);
    await add(
      "202611230000_indexes",
      `${wordIndex}CREATE UNIQUE INDEX CONCURRENTLY letters_once_idx ON letters (word, id);`,
    );
    await client.query("CREATE INDEX letters_word_idx ON letters (word)");
    expect(await applyMigrations(url, set)).to.deep.equal(["202611230000_indexes"]);
    await add(
      "202611230001_fewer",
      "-- outside a transaction\nDROP INDEX CONCURRENTLY IF EXISTS letters_word_idx;",
    );
    expect(await applyMigrations(url, set)).to.deep.equal(["202611230001_fewer"]);
    expect(await index()).to.equal("missing");
  });

  it("is applied in the transaction of a restore", async () => {
    await add("202611230000_word_index", wordIndex);
    await client.query("BEGIN");
    await replayMigrations(client, await readMigrations(set), set);
    await client.query("COMMIT");
    expect(await index()).to.equal("valid");
    expect(await applyMigrations(url, set)).to.deep.equal([]);
  });

  it("may only create and drop indexes", async () => {
    for (const sql of [
      "UPDATE letters SET word = ''",
      "CREATE INDEX letters_word_idx ON letters (word)",
      "CREATE INDEX CONCURRENTLY IF NOT EXISTS letters_word_idx ON letters (word)",
      "DROP INDEX CONCURRENTLY letters_word_idx",
    ]) {
      await add("202611230000_wrong", `-- outside a transaction\n${sql};\n`);
      const refusal = await applyMigrations(url, set).catch((error: Error) => error.message);
      expect(refusal).to.contain(`outside a transaction: it may contain only`).and.to.contain(sql);
      await rm(join(folder, "202611230000_wrong"), { recursive: true });
    }
  });
});
