import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { StartupError } from "@carillon/kit";
import {
  administer,
  dropDatabase,
  postgresUrl,
  startFaultProxy,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import pg from "pg";
import { connectDatabase } from "./connect-database.ts";
import { readMigrations } from "./migration-files.ts";
import { applyMigrations, checkMigrations } from "./migrations.ts";

const folder = new URL("../../../prisma/migrations/", import.meta.url);

describe("migrations", () => {
  let name: string;
  let url: string;
  let client: pg.Client;

  beforeEach(async () => {
    name = `carillon_migrations_${randomBytes(6).toString("hex")}`;
    await administer((server) => server.query(`CREATE DATABASE ${name}`));
    url = withDatabase(postgresUrl(), name);
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await dropDatabase(name);
  });

  const ledger = async () =>
    (await client.query('SELECT * FROM "_prisma_migrations" ORDER BY migration_name')).rows;
  const refusal = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(StartupError);
    return (error as StartupError).message;
  };
  const check = () => checkMigrations(client);

  it("are applied to an empty database, and recorded as Prisma does", async () => {
    const folders = (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
    expect(await applyMigrations(url)).to.deep.equal(folders);
    const rows = await ledger();
    expect(rows).to.have.length(folders.length);
    for (const [index, row] of rows.entries()) {
      const text = await readFile(new URL(`${folders[index]}/migration.sql`, folder));
      expect(row).to.include({
        migration_name: folders[index],
        checksum: createHash("sha256").update(text).digest("hex"),
        applied_steps_count: 1,
        logs: null,
        rolled_back_at: null,
      });
      expect(row.id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(row.finished_at).to.be.instanceOf(Date);
      expect(row.finished_at - row.started_at).to.be.at.least(0);
    }
    await check();
  });

  it("are recorded in a table like Prisma's own", async () => {
    await applyMigrations(url);
    const { rows } = await client.query(
      `SELECT column_name || ' ' || data_type || coalesce('(' || character_maximum_length || ')', '')
         || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
         || coalesce(' DEFAULT ' || column_default, '') AS described
       FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
    );
    expect(rows.map((row) => row.described)).to.deep.equal([
      "id character varying(36) NOT NULL",
      "checksum character varying(64) NOT NULL",
      "finished_at timestamp with time zone",
      "migration_name character varying(255) NOT NULL",
      "logs text",
      "rolled_back_at timestamp with time zone",
      "started_at timestamp with time zone NOT NULL DEFAULT now()",
      "applied_steps_count integer NOT NULL DEFAULT 0",
    ]);
  });

  it("are not applied a second time", async () => {
    await applyMigrations(url);
    const before = await ledger();
    expect(await applyMigrations(url)).to.deep.equal([]);
    expect(await ledger()).to.deep.equal(before);
  });

  it("are applied once by several migrators at the same time", async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => applyMigrations(url)));
    const names = (await readMigrations()).map((migration) => migration.name);
    expect(applied.flat()).to.deep.equal(names);
    expect(await ledger()).to.have.length(names.length);
  });

  it("are rolled back when one fails, and can be applied once the cause is gone", async () => {
    await client.query("CREATE TABLE realms (id int)");
    const error = await applyMigrations(url).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect((error as Error).message).to.contain('"realms" already exists');
    expect(await ledger()).to.deep.equal([]);
    expect((await client.query("SELECT to_regclass('users') AS found")).rows).to.deep.equal([
      { found: null },
    ]);
    await client.query("DROP TABLE realms");
    expect(await applyMigrations(url)).not.to.deep.equal([]);
  });

  it("are required: a process refuses an empty database", async () => {
    const wanted =
      /^DATABASE_URL: the database lacks \d+ migration\(s\), first 0001_initial: run `npm run migrate`$/;
    expect(await refusal(check())).to.match(wanted);
    expect(await refusal(connectDatabase(url, { max: 1, name: "test" }))).to.match(wanted);
  });

  it("are required: a process refuses a database that lacks one", async () => {
    await applyMigrations(url);
    const last = (await readMigrations()).at(-1)?.name;
    await client.query('DELETE FROM "_prisma_migrations" WHERE migration_name = $1', [last]);
    expect(await refusal(check())).to.equal(
      `DATABASE_URL: the database lacks 1 migration(s), first ${last}: run \`npm run migrate\``,
    );
  });

  it("are refused if one was applied with another text", async () => {
    await applyMigrations(url);
    await client.query(
      `UPDATE "_prisma_migrations" SET checksum = repeat('0', 64) WHERE migration_name = '0001_initial'`,
    );
    const wanted =
      /^DATABASE_URL: migration 0001_initial was applied with another text than this build has: use the build that applied it$/;
    expect(await refusal(check())).to.match(wanted);
    expect(await refusal(applyMigrations(url))).to.match(wanted);
    expect(await refusal(connectDatabase(url, { max: 1, name: "test" }))).to.match(wanted);
  });

  const addApplied = (migration: string) =>
    client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at)
       VALUES ($1, 'later', $1, now())`,
      [migration],
    );

  it("of a newer build are accepted when they only add, or remove what this build does not use", async () => {
    await applyMigrations(url);
    const last = /^\d+/.exec((await readMigrations()).at(-1)!.name)?.[0];
    for (const newer of ["9998_later", `9999_after_${last}_drop_later`]) {
      await addApplied(newer);
      await check();
      expect(await applyMigrations(url)).to.deep.equal([]);
    }
  });

  it("of a newer build are refused when they remove what this build needs", async () => {
    await applyMigrations(url);
    await addApplied("9999_after_9998_drop");
    const wanted =
      "DATABASE_URL: migration 9999_after_9998_drop takes away what this build needs: start a build that has 9998";
    expect(await refusal(check())).to.equal(wanted);
    expect(await refusal(applyMigrations(url))).to.equal(wanted);
    expect(await refusal(connectDatabase(url, { max: 1, name: "test" }))).to.equal(wanted);
  });

  it("are refused if one began and never finished, unless it was rolled back", async () => {
    await applyMigrations(url);
    await client.query(
      `UPDATE "_prisma_migrations" SET finished_at = NULL WHERE migration_name = '0001_initial'`,
    );
    expect(await refusal(check())).to.match(
      /^DATABASE_URL: migration 0001_initial began and never finished: repair the database, then delete its row/,
    );
    await client.query(
      `UPDATE "_prisma_migrations" SET rolled_back_at = now() WHERE migration_name = '0001_initial'`,
    );
    expect(await refusal(check())).to.match(/lacks 1 migration\(s\), first 0001_initial/);
  });

  it("name a database that does not exist, or that the user may not change", async () => {
    expect(await refusal(applyMigrations(withDatabase(url, `${name}_none`)))).to.match(
      /^DATABASE_URL: there is no such database: \S+_none \(3D000\)$/,
    );
    await client.query("REVOKE CREATE ON SCHEMA public FROM pg_database_owner");
    expect(await refusal(applyMigrations(url))).to.match(
      /^DATABASE_URL: the user must own the database.*: \S+\/carillon_migrations_\w+ \(42501\)$/,
    );
  });

  it("name a server that cannot be reached", async () => {
    const proxy = await startFaultProxy(url);
    await proxy.close();
    expect(await refusal(applyMigrations(proxy.url))).to.match(
      /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+\/carillon_migrations_\w+ \(ECONNREFUSED\)$/,
    );
  });
});
