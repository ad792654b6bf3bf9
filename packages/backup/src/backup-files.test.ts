import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { fileStoreFromEnvironment, newObjectKey, type FileStore } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  administer,
  dropDatabase,
  organization,
  postgresUrl,
  s3Program,
  startS3Server,
  useDatabase,
  waitFor,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { onConnection } from "./connect.ts";
import { listTables } from "./tables.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

const kibibyte = 1024;

describe("a backup with uploaded files", () => {
  const db = useDatabase();
  let folder: string;
  let store: FileStore;
  let ownerId: number;
  let realmId: number;
  const closing: Array<() => Promise<void>> = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-backup-"));
    store = storeIn("files");
    const { realm, member } = await organization(db);
    realmId = realm.id;
    ownerId = member.id;
  });

  after(async () => {
    for (const close of closing.toReversed()) await close();
    await rm(folder, { recursive: true });
  });

  const storeIn = (name: string) =>
    fileStoreFromEnvironment(readEnvironment({ FILES_DIR: join(folder, name) }));
  const objectPath = (key: string) => join(folder, "files", key.charAt(0), key.charAt(1), key);

  const emptyDatabase = async () => {
    const name = `carillon_restore_${randomBytes(6).toString("hex")}`;
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    closing.push(() => dropDatabase(name));
    return withDatabase(postgresUrl(), name);
  };

  /** Stores an object that a row of the ledger marks as used. */
  const object = async (bytes: Buffer, keptFor: string | null = null) => {
    const key = newObjectKey();
    await store.put(key, Readable.from([bytes]));
    await db.rows(
      "INSERT INTO stored_objects (key, delete_after) VALUES ($1, now() + $2::interval)",
      [key, keptFor],
    );
    return { key, bytes };
  };
  const attachment = async (bytes: Buffer) => {
    const { key } = await object(bytes);
    const path = `${realmId}/ab/${key.slice(0, 24)}/file.bin`;
    const sha256 = createHash("sha256").update(bytes).digest();
    await db.rows(
      `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
       VALUES ($1, $2, $3, $4, 'file.bin', 'application/octet-stream', $5, $6)`,
      [realmId, ownerId, path, key, bytes.length, sha256],
    );
    return { key, path, bytes };
  };
  const remove = async (...keys: string[]) => {
    await db.rows("DELETE FROM attachments WHERE object_key = ANY($1)", [keys]);
    await db.rows("DELETE FROM stored_objects WHERE key = ANY($1)", [keys]);
  };

  const backUp = async (name: string) => {
    const file = join(folder, name);
    const made = await writeBackup(db.url, createWriteStream(file), { files: async () => store });
    return { file, ...made };
  };
  const contentIn = async (from: FileStore, key: string) =>
    buffer((await from.get(key)).stream).catch(() => undefined);
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: Error) => error,
    );

  it("has every object that its rows name, of every size, and only those", async () => {
    const sizes = [0, 1, 256 * kibibyte, 256 * kibibyte + 1, 1024 * kibibyte + 1, 6_000_000];
    const second = await attachment(randomBytes(77));
    const kept: Array<{ key: string; bytes: Buffer }> = [second];
    for (const size of sizes) kept.push(await attachment(randomBytes(size)));
    // An avatar, for example.
    kept.push(await object(randomBytes(700_000)));
    // The lines of a backup, as content.
    kept.push(await attachment(Buffer.from('\n\\.\n-- complete {"tables":1,"rows":1}\n\n')));
    const unused = await object(Buffer.from("an upload that has not ended"), "20 hours");
    const { file, files } = await backUp("sizes");
    const bytes = kept.reduce((sum, one) => sum + one.bytes.length, 0);
    expect(files).to.include({ objects: kept.length, bytes });
    expect(files?.faulty.count).to.equal(0);

    const target = storeIn("restored");
    const url = await emptyDatabase();
    const restored = await restoreBackup(url, createReadStream(file), { files: target });
    expect(restored.files).to.include({ objects: kept.length, bytes, kept: 0 });
    for (const one of kept)
      expect((await contentIn(target, one.key))?.equals(one.bytes)).to.equal(true);
    expect(await target.stat(unused.key)).to.equal(undefined);

    // Once more into the same store: nothing is stored again.
    const changed = second.key;
    await writeFile(join(folder, "restored", changed.charAt(0), changed.charAt(1), changed), "x");
    const again = await restoreBackup(await emptyDatabase(), createReadStream(file), {
      files: target,
    });
    expect(again.files).to.include({ objects: kept.length, kept: kept.length - 1 });
    expect((await contentIn(target, changed))?.equals(second.bytes)).to.equal(true);

    const rowsOnly = await restoreBackup(await emptyDatabase(), createReadStream(file));
    expect(rowsOnly).to.include({ files: undefined, rows: restored.rows });
    await remove(...kept.map(({ key }) => key), unused.key);
  });

  it("compresses rows, but not files, which mostly are compressed already", async () => {
    const { key } = await attachment(Buffer.alloc(1_000_000));
    const { file } = await backUp("not-compressed");
    const { size } = await stat(file);
    const text = gunzipSync(await readFile(file));
    const rows = text.indexOf("\n-- end of rows ");
    expect(size).to.be.within(1_000_000, 1_000_000 + rows / 2);
    await remove(key);
  });

  it("moves from a folder to a bucket, and back", async function () {
    const server = await startS3Server(s3Program() ?? this.skip());
    closing.push(() => server.close());
    const bucket = fileStoreFromEnvironment(readEnvironment(server.variables));
    closing.push(() => bucket.close());
    const files = [];
    for (const size of [10, 5 * 1024 * kibibyte + 1, 300_000])
      files.push(await attachment(randomBytes(size)));
    const { file } = await backUp("from-folder");
    const url = await emptyDatabase();
    await restoreBackup(url, createReadStream(file), { files: bucket });
    const back = join(folder, "from-bucket");
    await writeBackup(url, createWriteStream(back), { files: async () => bucket });
    const target = storeIn("back");
    await restoreBackup(await emptyDatabase(), createReadStream(back), { files: target });
    for (const { key, bytes } of files)
      expect((await contentIn(target, key))?.equals(bytes)).to.equal(true);
    await remove(...files.map(({ key }) => key));
  });

  it("copies files that are deleted while it runs, but not those that are uploaded then", async () => {
    const doomed = await attachment(randomBytes(100));
    let started: () => void = () => {};
    const hasStarted = new Promise<void>((resolve) => (started = resolve));
    let proceed: () => void = () => {};
    const mayProceed = new Promise<void>((resolve) => (proceed = resolve));
    const file = join(folder, "concurrent");
    const writing = writeBackup(db.url, createWriteStream(file), {
      files: async () => {
        started();
        await mayProceed;
        return store;
      },
    });
    await hasStarted;
    // No transaction stays open while objects are copied.
    const open = await db.rows(
      `SELECT state FROM pg_stat_activity
       WHERE application_name = 'carillon backup' AND datname = current_database() AND xact_start IS NOT NULL`,
    );
    expect(open).to.deep.equal([]);
    await db.rows("DELETE FROM attachments WHERE object_key = $1", [doomed.key]);
    await db.rows(
      "UPDATE stored_objects SET delete_after = now() + interval '24 hours' WHERE key = $1",
      [doomed.key],
    );
    const late = await attachment(randomBytes(100));
    proceed();
    expect((await writing).files).to.include({ objects: 1 });
    const target = storeIn("concurrent-restored");
    const url = await emptyDatabase();
    await restoreBackup(url, createReadStream(file), { files: target });
    expect((await contentIn(target, doomed.key))?.equals(doomed.bytes)).to.equal(true);
    expect(await target.stat(late.key)).to.equal(undefined);
    await remove(doomed.key, late.key);
  });

  it("names missing and changed objects, and has all others", async () => {
    const [missing, changed, whole] = [
      await attachment(randomBytes(500_000)),
      await attachment(randomBytes(300_000)),
      await attachment(randomBytes(10)),
    ];
    const lost = await object(randomBytes(5));
    await store.delete([missing.key, lost.key]);
    await truncate(objectPath(changed.key), 200_000);
    const { file, files } = await backUp("faulty");
    const faults = [
      { key: missing.key, path: missing.path, fault: "missing" },
      { key: lost.key, path: undefined, fault: "missing" },
      { key: changed.key, path: changed.path, fault: "changed" },
    ];
    expect(files?.objects).to.equal(2);
    expect(files?.faulty.named).to.have.deep.members(faults);
    const target = storeIn("faulty-restored");
    const url = await emptyDatabase();
    const restored = await restoreBackup(url, createReadStream(file), { files: target });
    expect(restored.files?.faulty.named).to.have.deep.members(faults);
    expect((await contentIn(target, whole.key))?.equals(whole.bytes)).to.equal(true);
    expect(await target.stat(changed.key)).to.deep.equal({ size: 200_000 });
    await remove(missing.key, changed.key, whole.key, lost.key);
  });

  it("holds the bytes of at most 16 files in memory, however many there are", async () => {
    const [count, size] = [300, 200 * kibibyte];
    const content = randomBytes(size);
    await db.rows(
      `WITH made AS (INSERT INTO stored_objects (key)
          SELECT 'many' || translate(lpad(n::text, 22, '0'), '0123456789', 'abcdefghij') FROM generate_series(1, $1) n RETURNING key)
        INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
        SELECT $2, $3, key, key, 'f', 'text/plain', $4, $5 FROM made`,
      [count, realmId, ownerId, size, createHash("sha256").update(content).digest()],
    );
    let opened = 0;
    let written = 0;
    let most = 0;
    const many: FileStore = {
      ...store,
      async get() {
        opened++;
        most = Math.max(most, opened - written / size);
        return { stream: Readable.from([content], { objectMode: false }), size, length: size };
      },
    };
    const target = new Writable({
      write(chunk: Buffer, _, done) {
        written += chunk.length;
        setImmediate(done);
      },
    });
    const { files } = await writeBackup(db.url, target, { files: async () => many });
    expect(files).to.include({ objects: count, bytes: count * size });
    expect(opened).to.equal(count);
    // Up to two more are on their way through the streams.
    expect(most).to.be.within(15, 18);
    await db.rows("DELETE FROM attachments WHERE object_key ^@ 'many'");
    await db.rows("DELETE FROM stored_objects WHERE key ^@ 'many'");
  });

  it("is refused completely when it is truncated or changed in its files", async () => {
    const files = [await attachment(randomBytes(2_000_000)), await attachment(randomBytes(100))];
    const { file } = await backUp("broken");
    const whole = await readFile(file);
    const text = gunzipSync(whole);
    const line = text.indexOf("\n-- object ");
    const trailer = text.lastIndexOf("\n-- complete ");
    const target = storeIn("broken-restored");
    const refusal = async (packed: Buffer) => {
      const url = await emptyDatabase();
      const error = await failureOf(restoreBackup(url, Readable.from([packed]), { files: target }));
      await onConnection(url, async (client) => expect(await listTables(client)).to.deep.equal([]));
      return error?.message;
    };
    const changed = Buffer.from(whole);
    const at = whole.length - 1_000_000;
    changed[at] = 255 - (changed[at] ?? 0);
    expect(await refusal(changed)).to.match(/cannot be unpacked/);
    expect(await refusal(whole.subarray(0, at))).to.match(/cannot be unpacked/);
    expect(await refusal(gzipSync(text.subarray(0, line + 5_000)))).to.match(/ends in the middle/);
    expect(await refusal(gzipSync(text.subarray(0, trailer + 1)))).to.match(/last line is missing/);
    const without = Buffer.concat([text.subarray(0, line), text.subarray(trailer)]);
    expect(await refusal(gzipSync(without))).to.match(/uploaded files are missing/);
    const path = Buffer.from(
      text.toString("latin1").replace(/(-- object \{"key":")\w+/, "$1../../etc"),
      "latin1",
    );
    expect(await refusal(gzipSync(path))).to.match(/a line that Carillon does not write/);
    expect(await readdir(join(folder, "broken-restored", "tmp"))).to.deep.equal([]);
    await remove(...files.map(({ key }) => key));
  });

  it("fails if the store is away, and leaves no open connection", async () => {
    const { key } = await attachment(randomBytes(400_000));
    const gone = storeIn("gone");
    await gone.check();
    await rm(join(folder, "gone"), { recursive: true });
    const target = createWriteStream(join(folder, "away"));
    const error = await failureOf(writeBackup(db.url, target, { files: async () => gone }));
    expect(error?.message).to.match(/the folder no longer exists/);
    await waitFor(
      async () =>
        (
          await db.rows(
            "SELECT FROM pg_stat_activity WHERE application_name = 'carillon backup' AND datname = current_database()",
          )
        ).length === 0,
      { what: "the connection is closed" },
    );
    await remove(key);
  });
});
