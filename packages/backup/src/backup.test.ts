import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { connectDatabase, type Database } from "@carillon/db";
import { StartupError } from "@carillon/kit";
import {
  administer,
  channel,
  dropDatabase,
  organization,
  pastMessages,
  postgresUrl,
  scheduledMessage,
  useDatabase,
  waitFor,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import { randomBytes } from "node:crypto";

import { listTables } from "./tables.ts";
import { onConnection } from "./connect.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

describe("a backup", () => {
  const db = useDatabase();
  let folder: string;
  let file: string;
  const made: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-backup-"));
    file = join(folder, "backup");
    const { realm, member, owner } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member, owner] });
    await pastMessages(db, room, member, { count: 3, topic: "a\tb\\c\n\\.\n\u{1f600} \r\n\\N" });
    await scheduledMessage(db, member, room, { row: { enqueuedAt: new Date() } });
    await db.rows(
      `INSERT INTO job_intent (job, unique_key, payload, enqueued_at) VALUES ('x', '1', '{}', now())`,
    );
    const ids = { realmId: realm.id, ownerId: member.id };
    await db.prisma.resumableUpload.create({
      data: { id: "u".repeat(24), ...ids, size: 10, received: 5, metadata: "" },
    });
    await writeBackup(db.url, createWriteStream(file));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    for (const name of made) await dropDatabase(name);
  });

  const emptyDatabase = async () => {
    const name = `carillon_restore_${randomBytes(6).toString("hex")}`;
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    made.push(name);
    return withDatabase(postgresUrl(), name);
  };

  /** Reads every row of every table of a backup, as text. */
  const everything = (url: string) =>
    onConnection(url, async (client) => {
      const found: Record<string, string[]> = {};
      for (const { name } of await listTables(client)) {
        const { rows } = await client.query<{ row: string }>(
          `SELECT (to_jsonb(t) - 'alarmed_at' - 'enqueued_at')::text AS row FROM "${name}" t ORDER BY 1`,
        );
        found[name] = rows.map(({ row }) => row);
      }
      return found;
    });

  const refusal = async (text: Buffer, url?: string) => {
    const target = url ?? (await emptyDatabase());
    const error = await restoreBackup(target, Readable.from([text])).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(StartupError);
    if (url === undefined)
      await onConnection(target, async (client) =>
        expect(await listTables(client)).to.deep.equal([]),
      );
    return (error as StartupError).message;
  };

  it("restores everything into an empty database, which a process can start on and insert into", async () => {
    const url = await emptyDatabase();
    const { migrated, rows } = await restoreBackup(url, createReadStream(file));
    expect(migrated).to.deep.equal([]);
    const restored = await everything(url);
    expect(restored).to.deep.equal(await everything(db.url));
    expect(Object.values(restored).flat()).to.have.length(rows);

    const again: Database = await connectDatabase(url, { max: 2, name: "test" });
    try {
      // The delivery jobs were in another queue.
      expect(
        await again.rows(
          `SELECT FROM scheduled_messages WHERE alarmed_at IS NOT NULL
           UNION ALL SELECT FROM job_intent WHERE enqueued_at IS NOT NULL`,
        ),
      ).to.deep.equal([]);
      // The parts of unfinished uploads are not copied: clients begin these uploads anew.
      const unfinished = "SELECT id FROM resumable_uploads";
      expect(await db.rows(unfinished)).to.have.length(1);
      expect(await again.rows(unfinished)).to.have.length(0);
      const { realm, member } = await organization(again);
      await pastMessages(again, await channel(again, realm, { subscribers: [member] }), member);
    } finally {
      await again.close();
    }
  });

  it("has the foreign keys, checks and indexes of the migrations", async () => {
    const url = await emptyDatabase();
    await restoreBackup(url, createReadStream(file));
    const shape = (of: string) =>
      onConnection(of, async (client) => {
        const { rows } = await client.query(
          `SELECT conname, pg_get_constraintdef(oid) AS text FROM pg_constraint
             WHERE connamespace = 'public'::regnamespace
           UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`,
        );
        return rows;
      });
    expect(await shape(url)).to.deep.equal(await shape(db.url));
  });

  it("is a consistent snapshot while rows are written", async () => {
    const { realm, owner } = await organization(db);
    const room = await channel(db, realm, { subscribers: [owner] });
    await pastMessages(db, room, owner);
    const pieces: Buffer[] = [];
    const target = new Writable({
      write(piece: Buffer, _encoding, done) {
        pieces.push(piece);
        done();
      },
    });
    const blocker = await db.pool.connect();
    await blocker.query("BEGIN; LOCK TABLE alert_words IN ACCESS EXCLUSIVE MODE");
    const writing = writeBackup(db.url, target);
    await waitFor(
      async () => {
        const waiting = await db.rows(
          `SELECT FROM pg_stat_activity WHERE application_name = 'carillon backup' AND datname = current_database()
           AND wait_event_type = 'Lock' AND query LIKE 'COPY "alert_words"%'`,
        );
        return waiting.length > 0;
      },
      { what: "the backup to come to alert_words" },
    );
    // Rows in two tables that are copied later: one without the other would violate a foreign key.
    await pastMessages(db, room, owner, { topic: "written meanwhile" });
    await blocker.query("COMMIT");
    blocker.release();
    await writing;
    expect(gunzipSync(Buffer.concat(pieces)).includes("written meanwhile")).to.equal(false);
    const url = await emptyDatabase();
    await restoreBackup(url, Readable.from([Buffer.concat(pieces)]));
  });

  it("is refused completely when it is truncated, changed, or not a backup", async () => {
    const whole = await readFile(file);
    const text = gunzipSync(whole);
    expect(await refusal(whole.subarray(0, whole.length - 20))).to.match(/cannot be unpacked/);
    const changed = Buffer.from(whole);
    changed[whole.length - 6] = 255 - (changed[whole.length - 6] ?? 0);
    expect(await refusal(changed)).to.match(/cannot be unpacked/);
    expect(await refusal(Buffer.from("no gzip"))).to.match(/cannot be unpacked/);
    expect(await refusal(Buffer.alloc(0))).to.match(/cut off|no backup|unpacked/);
    const pack = (of: string) => gzipSync(Buffer.from(of));
    const lines = text.toString("latin1").split("\n");
    const rest = (changes: (line: string) => string | undefined) =>
      gzipSync(
        Buffer.from(
          lines
            .map(changes)
            .filter((line) => line !== undefined)
            .join("\n"),
          "latin1",
        ),
      );
    expect(await refusal(pack("hello\n"))).to.equal("this is not a Carillon backup");
    expect(
      await refusal(rest((line) => (line.startsWith("-- complete") ? undefined : line))),
    ).to.match(/last line is missing/);
    expect(
      await refusal(
        rest((line) => line.replace(/^-- Carillon.*"format":1/, '-- Carillon backup {"format":3')),
      ),
    ).to.match(/newer build/);
    expect(await refusal(rest((line) => line.replace(/"0001_initial"/, '"9999_later"')))).to.match(
      /migration 9999_later is unknown/,
    );
    expect(await refusal(rest((line) => line.replace(/("rows":)\d+/, "$12")))).to.match(
      /rows are missing/,
    );
    // Of such a file, only statements like our own are run, and only tables of the migrations are written.
    for (const place of [
      'COPY "pg_authid" ("oid", "rolname", "rolsuper") FROM stdin;',
      'COPY "_prisma_migrations" ("id") FROM stdin;',
      'COPY "users" ("ctid") FROM stdin;',
    ])
      expect(await refusal(rest((line) => line.replace(/^COPY "users" .*/, place)))).to.match(
        /a line that Carillon does not write/,
      );
    expect(
      await refusal(
        rest((line) => line.replace(/^SELECT setval\('"\w+"/, `SELECT setval('"none"`)),
      ),
    ).to.match(/a line that Carillon does not write/);
    expect(
      await refusal(rest((line) => line.replace(/^SELECT setval.*/, "DROP TABLE users;"))),
    ).to.match(/a line that Carillon does not write/);
  });

  it("is not restored into a database that is not empty", async () => {
    expect(await refusal(await readFile(file), db.url)).to.match(
      /^DATABASE_URL: the database is not empty/,
    );
  });

  it("fails without hanging when its rows violate constraints", async () => {
    const text = gunzipSync(await readFile(file)).toString("latin1");
    const torn = text.replace(/(\nCOPY "realms" .*?stdin;\n)[^\n]*\n/, "$1");
    expect(torn).to.not.equal(text);
    const rows = torn.replace(
      /("rows":)(\d+)/,
      (_all, name: string, n: string) => `${name}${Number(n) - 1}`,
    );
    const url = await emptyDatabase();
    const packed = gzipSync(Buffer.from(rows, "latin1"));
    const error = await restoreBackup(url, Readable.from([packed])).catch(
      (thrown: Error) => thrown,
    );
    expect(error)
      .to.be.instanceOf(Error)
      .with.property("message")
      .that.matches(/foreign key/);
    const wrong = gzipSync(
      Buffer.from(text.replace(/(\nCOPY "realms" .*?stdin;\n)/, "$1not a row\n"), "latin1"),
    );
    const refused = await restoreBackup(url, Readable.from([wrong])).catch(
      (thrown: Error) => thrown,
    );
    expect(refused)
      .to.be.instanceOf(Error)
      .with.property("message")
      .that.matches(/realms|integer|column/);
  });
});
