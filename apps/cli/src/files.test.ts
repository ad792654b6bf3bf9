import { execFileSync } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
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
  withDatabase,
  type S3Server,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

describe("carillon backup, restore, files move and doctor with uploaded files", () => {
  const db = useDatabase();
  let folder: string;
  let own: string;
  let store: FileStore;
  let ids: { realmId: number; ownerId: number };
  const databases: string[] = [];
  let server: S3Server | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
    const { realm, member } = await organization(db);
    ids = { realmId: realm.id, ownerId: member.id };
  });

  beforeEach(async () => {
    await db.rows("DELETE FROM attachments");
    await db.rows("DELETE FROM stored_objects");
    own = join(folder, `files-${newObjectKey()}`);
    store = storeOf({ FILES_DIR: own });
  });

  after(async () => {
    for (const name of databases) await dropDatabase(name);
    await server?.close();
    await rm(folder, { recursive: true });
  });

  const storeOf = (variables: Readonly<Record<string, string>>) =>
    fileStoreFromEnvironment(readEnvironment(variables));
  const objectPath = (key: string) => join(own, key.charAt(0), key.charAt(1), key);
  const run = (words: readonly string[], variables: Record<string, string> = { FILES_DIR: own }) =>
    commandLineOn(db.url, variables)(words);
  const s3 = async (context: { skip(): never }) =>
    (server ??= await startS3Server(s3Program() ?? context.skip()));

  const emptyDatabase = async () => {
    const name = `carillon_files_${randomBytes(6).toString("hex")}`;
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    databases.push(name);
    return withDatabase(postgresUrl(), name);
  };

  const upload = async (size: number) => {
    const [key, bytes] = [newObjectKey(), randomBytes(size)];
    const path = `${ids.realmId}/ab/${key.slice(0, 24)}/f`;
    const stored = await store.put(key, Readable.from([bytes]));
    await db.rows("INSERT INTO stored_objects (key) VALUES ($1)", [key]);
    await db.rows(
      `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
       VALUES ($1, $2, $3, $4, 'f', 'text/plain', $5, $6)`,
      [ids.realmId, ids.ownerId, path, key, size, stored.sha256],
    );
    return { key, path, sha256: createHash("sha256").update(bytes).digest("hex") };
  };
  const hashIn = async (from: FileStore, key: string) =>
    createHash("sha256")
      .update(await buffer((await from.get(key)).stream))
      .digest("hex");

  it("back up a folder, and restore it into another one", async () => {
    const file = await upload(100_000);
    const backup = join(folder, "with-files");
    const made = await run(["backup", backup]);
    expect(made)
      .to.include({ code: 0 })
      .with.property("noted")
      .that.matches(/^Backed up \d+ rows of \d+ tables and 1 file \(97\.7 KiB\)\. SECRET_KEY/);
    const target = join(folder, "restored");
    const into = commandLineOn(await emptyDatabase(), { FILES_DIR: target });
    const restored = await into(["restore", backup]);
    expect(restored)
      .to.include({ code: 0 })
      .with.property("said")
      .that.matches(/^Restored 1 file \(97\.7 KiB\) in the folder .+\/restored\.$/m);
    expect(await hashIn(storeOf({ FILES_DIR: target }), file.key)).to.equal(file.sha256);
  });

  it("leave files out if asked, and those of a bucket unless asked", async function () {
    await upload(10);
    const { variables } = await s3(this);
    const rows = join(folder, "rows-only");
    const without = await run(["backup", rows, "--without-files"]);
    expect(without.noted).to.match(/tables\. Uploaded files are not included\./);
    const bucket = await run(["backup", join(folder, "of-bucket")], variables);
    expect(bucket.noted).to.match(/tables\. Uploaded files are not included\./);
    // The bucket does not have the file.
    const asked = await run(["backup", "--files", join(folder, "asked")], variables);
    expect(asked).to.include({ code: 1 });
    expect(asked.noted).to.match(/that are missing from the store or damaged: 1\n/);
    expect((await run(["backup", "--files", "--without-files", rows])).code).to.equal(2);
    const into = commandLineOn(await emptyDatabase(), { FILES_DIR: join(folder, "none") });
    const restored = await into(["restore", rows]);
    expect(restored.said).to.match(/^No uploaded files were restored: copy them to the store/m);
  });

  it("name files that the store lacks, and exit with 1 though everything else is backed up", async () => {
    const [lost, kept] = [await upload(10), await upload(20)];
    await store.delete([lost.key]);
    const backup = join(folder, "lost");
    const made = await run(["backup", backup]);
    expect(made).to.include({ code: 1 });
    expect(made.noted).to.include(`${lost.path} (object ${lost.key}): missing`);
    const target = join(folder, "lost-restored");
    const into = commandLineOn(await emptyDatabase(), { FILES_DIR: target });
    const restored = await into(["restore", backup]);
    expect(restored).to.include({ code: 1 });
    expect(restored.noted).to.include(`${lost.path} (object ${lost.key}): missing`);
    expect(await hashIn(storeOf({ FILES_DIR: target }), kept.key)).to.equal(kept.sha256);
  });

  describe("on a disk that is full", () => {
    let full: string;
    const mount = (options: string, path: string) =>
      execFileSync("mount", ["-t", "tmpfs", "-o", options, "carillon-test", path], {
        stdio: "ignore",
      });
    beforeEach(async function () {
      full = join(folder, `full-${newObjectKey()}`);
      await mkdir(full);
      try {
        mount("size=1m,mode=0700", full);
      } catch {
        // Only root may mount, and some containers forbid it to root too.
        full = "";
        this.skip();
      }
    });
    afterEach(() => {
      if (full !== "") execFileSync("umount", [full]);
    });

    it("leave nothing of a backup, and name the file", async () => {
      const { key } = await upload(2_000_000);
      const file = join(full, "backup");
      const made = await run(["backup", file]);
      expect(made).to.include({ code: 1 });
      expect(made.noted).to.equal(`carillon: the disk of ${file} is full (ENOSPC)`);
      expect(await readdir(full)).to.deep.equal([]);
      expect(await run(["backup", join(folder, key)])).to.include({ code: 0 });
    });

    it("restore nothing, and everything once there is room", async () => {
      const file = await upload(2_000_000);
      const backup = join(folder, file.key);
      expect(await run(["backup", backup])).to.include({ code: 0 });
      const into = commandLineOn(await emptyDatabase(), { FILES_DIR: full });
      const refused = await into(["restore", backup]);
      expect(refused).to.include({ code: 1 });
      expect(refused.noted).to.match(/^carillon: FILES_DIR .+: the disk is full; .+ \(ENOSPC\)$/);
      mount("remount,size=8m", full);
      // Into the same database, which is still empty.
      expect(await into(["restore", backup])).to.include({ code: 0 });
      expect(await hashIn(storeOf({ FILES_DIR: full }), file.key)).to.equal(file.sha256);
    });
  });

  it("do not create a folder of files that is missing", async () => {
    await upload(10);
    const missing = join(folder, "missing");
    const made = await run(["backup", join(folder, "b")], { FILES_DIR: missing });
    expect(made.noted).to.match(/FILES_DIR .+missing cannot be read \(ENOENT\): run this where/);
    expect(existsSync(join(folder, "b"))).to.equal(false);
    expect(existsSync(join(folder, "b.part"))).to.equal(false);
    const examined = await run(["doctor"], { FILES_DIR: missing });
    expect(examined.said).to.match(
      /^failed +files: FILES_DIR .+ does not exist, but 1 uploaded file should/m,
    );
    expect(existsSync(missing)).to.equal(false);
  });

  it("move files to a bucket and back, and copy only what is new", async function () {
    const { variables } = await s3(this);
    const bucketFile = join(folder, "bucket.env");
    await writeFile(
      bucketFile,
      Object.entries(variables)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(""),
    );
    const first = await upload(10);
    const files = [first, await upload(6_000_000), await upload(0)];
    const moved = await run(["files", "move", "--to-bucket", bucketFile]);
    expect(moved).to.include({ code: 0 });
    expect(moved.said).to.match(/^Copied 3 files \(5\.7 MiB\) to the store in the bucket/);
    const bucket = storeOf(variables);
    for (const { key, sha256 } of files) expect(await hashIn(bucket, key)).to.equal(sha256);
    // Uploaded to the folder before the variables were changed.
    const late = await upload(30);
    const words = ["files", "move", "--from-folder", own];
    const second = await run(words, variables);
    expect(second.said).to.match(/^Copied 1 file \(30 bytes\) .+; already there: 3\.$/);
    expect(await hashIn(bucket, late.key)).to.equal(late.sha256);
    expect(await hashIn(store, late.key)).to.equal(late.sha256);

    await bucket.delete([first.key]);
    await bucket.put(first.key, Readable.from([Buffer.from("other byte")]));
    expect((await run(words, variables)).said).to.match(/^Copied 0 files/);
    expect((await run([...words, "--verify"], variables)).said).to.match(/^Copied 1 file /);
    const deleting = await run([...words, "--delete-source"], variables);
    expect(deleting.said).to.match(/^Deleted 4 files from the store in the folder/m);
    for (const { key, sha256 } of files) {
      expect(await store.stat(key)).to.equal(undefined);
      expect(await hashIn(bucket, key)).to.equal(sha256);
    }
    expect(await run(words, variables)).to.include({ code: 0 });

    const back = await run(["files", "move", "--from-bucket", bucketFile]);
    expect(back.said).to.match(/^Copied 4 files/);
    for (const { key, sha256 } of files) expect(await hashIn(store, key)).to.equal(sha256);
    await bucket.close();
  });

  it("refuse to move files onto themselves, from two processes at once, or to delete files in use", async () => {
    await upload(10);
    const target = join(folder, "target");
    expect(await run(["files", "move"])).to.include({ code: 2 });
    expect(await run(["files", "move", "--to-folder", target, "--delete-source"])).to.include({
      code: 2,
    });
    const same = await run(["files", "move", "--from-folder", `${own}/.`, "--delete-source"]);
    expect(same).to.include({ code: 2 });
    expect(same.noted).to.match(/source and target are the same store/);
    const other = await db.pool.connect();
    await other.query("SELECT pg_advisory_lock(hashtext('carillon files move'))");
    const second = await run(["files", "move", "--to-folder", target]);
    expect(second.noted).to.equal("carillon: carillon files move runs already");
    await other.query("SELECT pg_advisory_unlock_all()");
    other.release();
    expect(await run(["files", "move", "--to-folder", target])).to.include({ code: 0 });
  });

  it("name files that cannot be moved, and move the others", async () => {
    const [lost, changed, whole] = [await upload(10), await upload(20), await upload(30)];
    await store.delete([lost.key]);
    await truncate(objectPath(changed.key), 5);
    const target = join(folder, "target-of-faulty");
    const moved = await run(["files", "move", "--to-folder", target]);
    expect(moved).to.include({ code: 1 });
    expect(moved.said).to.match(/^Copied 2 files \(35 bytes\) .+; already there: 0\.$/);
    expect(moved.noted)
      .to.include(`${lost.path} (object ${lost.key}): missing`)
      .and.include(`${changed.path} (object ${changed.key}): its bytes are not those`);
    const copy = storeOf({ FILES_DIR: target });
    expect(await hashIn(copy, whole.key)).to.equal(whole.sha256);
  });

  it("examine the store, and look up files in it", async () => {
    const [lost, changed] = [await upload(10), await upload(20), await upload(30)];
    const well = await run(["doctor"]);
    expect(well.said)
      .to.match(/^ok +files: stored in the folder .+; can be written, read and deleted$/m)
      .and.match(/^ok +uploaded files: 3 of 3 looked up: none is missing or damaged$/m)
      .and.match(/^ok +unused objects: 0 /m);
    await store.delete([lost.key]);
    await truncate(objectPath(changed.key), 5);
    await db.rows(
      "INSERT INTO stored_objects VALUES ('due', now() - interval '2 hours'), ('claimed', '-infinity')",
    );
    for (const words of [["doctor"], ["doctor", "--all-files"]]) {
      const { code, said } = await run(words);
      expect(code).to.equal(1);
      expect(said)
        .to.include(`${lost.path} is missing (object ${lost.key})`)
        .and.include(`${changed.path} has 5 of 20 bytes`)
        .and.match(/^warning +unused objects: 1 should have been deleted/m);
    }
    await rm(own, { recursive: true });
    await writeFile(own, "");
    expect((await run(["doctor"])).said).to.match(/^failed +files: FILES_DIR .+not a folder/m);
  });

  it("are examined by doctor, which says in whole lines what it has found", async () => {
    const missingFolder = join(folder, "not-yet");
    const linesOf = async (variables: Record<string, string> = { FILES_DIR: own }) => {
      const { said } = await run(["doctor"], variables);
      return said
        .split("\n")
        .filter((line) => /^\w+ +(files|uploaded files|unused objects):/.test(line));
    };
    expect(await linesOf({ FILES_DIR: missingFolder })).to.deep.equal([
      `warning  files: FILES_DIR ${missingFolder} does not exist; the first upload creates it`,
    ]);
    expect(await linesOf(unreachable)).to.deep.equal([
      "failed   files: S3_ENDPOINT: nothing listens there (ECONNREFUSED, files at http://127.0.0.1:9)",
    ]);
    const [lost] = [await upload(10), await upload(20)];
    const stored = `ok       files: stored in the folder ${own}; can be written, read and deleted`;
    expect(await linesOf()).to.deep.equal([
      stored,
      "ok       uploaded files: 2 of 2 looked up: none is missing or damaged",
      "ok       unused objects: 0 unused objects wait for their deletion",
    ]);
    await store.delete([lost.key]);
    await db.rows("INSERT INTO stored_objects VALUES ('due', now() - interval '2 hours')");
    for (const host of ["a", "b"])
      await db.prisma.processHeartbeat.create({
        data: { processId: randomUUID(), role: "gateway", host, pid: 1 },
      });
    expect(await linesOf()).to.deep.equal([
      stored,
      `failed   uploaded files: 2 of 2 looked up: ${lost.path} is missing (object ${lost.key}); processes run on 2 hosts: do they share the folder?`,
      "warning  unused objects: 1 should have been deleted more than an hour ago: do workers run, and reach the store?",
    ]);
    await db.prisma.processHeartbeat.deleteMany();
    // Objects that the store does not have, more than a sample looks up.
    await db.rows(
      `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
       SELECT $1, $2, 'many/' || n, 'many' || translate(lpad(n::text, 22, '0'), '0123456789', 'abcdefghij'), 'f', 'text/plain', 1, ''
       FROM generate_series(1, 1000) n`,
      [ids.realmId, ids.ownerId],
    );
    const [, sampled] = await linesOf();
    expect(sampled).to.match(
      /^failed   uploaded files: \d+ of 1002 looked up: (many\/\d+ is missing \(object many[a-j]{22}\), ){5}and \d+ more$/,
    );
  });
});

const unreachable = {
  S3_BUCKET: "files",
  S3_ENDPOINT: "http://127.0.0.1:9",
  S3_ACCESS_KEY_ID: "nobody",
  S3_SECRET_ACCESS_KEY: "none",
};
