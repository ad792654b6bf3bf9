import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { connectDatabase } from "@carillon/db";
import {
  fileStoreFromEnvironment,
  type FileStore,
  hashObject,
  newObjectKey,
} from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  administer,
  dropDatabase,
  organization,
  postgresUrl,
  type TestProcess,
  testSecretKey,
  useDatabase,
  useProcesses,
  waitFor,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

/** An uploaded file, by its key in the store, and the hash of its bytes. */
interface Upload {
  readonly key: string;
  readonly sha256: string;
}

describe("carillon restore and files move that are killed in the middle", () => {
  const db = useDatabase();
  const processes = useProcesses();
  let folder: string;
  let own: string;
  let store: FileStore;
  let ids: readonly [realmId: number, ownerId: number];
  const databases: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-killed-"));
    const { realm, member } = await organization(db);
    ids = [realm.id, member.id];
  });
  beforeEach(async () => {
    await db.rows("DELETE FROM attachments");
    await db.rows("DELETE FROM stored_objects");
    own = join(folder, newObjectKey());
    store = storeIn(own);
  });
  after(async () => {
    for (const name of databases) await dropDatabase(name);
    await rm(folder, { recursive: true });
  });

  const storeIn = (path: string) => fileStoreFromEnvironment(readEnvironment({ FILES_DIR: path }));
  const pathIn = (root: string, key: string) => join(root, key.charAt(0), key.charAt(1), key);
  const run = (words: readonly string[], variables: Record<string, string> = { FILES_DIR: own }) =>
    commandLineOn(db.url, variables)(words);
  const start = (words: readonly string[], url: string, filesDir: string, input = false) =>
    processes.carillon(
      words,
      { DATABASE_URL: url, SECRET_KEY: testSecretKey, FILES_DIR: filesDir },
      { input },
    );
  const emptyDatabase = async () => {
    const name = `carillon_killed_${randomBytes(6).toString("hex")}`;
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    databases.push(name);
    return withDatabase(postgresUrl(), name);
  };

  const upload = async (size: number): Promise<Upload> => {
    const [key, bytes] = [newObjectKey(), randomBytes(size)];
    const { sha256 } = await store.put(key, Readable.from([bytes]));
    await db.rows("INSERT INTO stored_objects (key) VALUES ($1)", [key]);
    await db.rows(
      `INSERT INTO attachments (realm_id, owner_id, path_id, object_key, name, content_type, size, sha256)
       VALUES ($1, $2, $3, $4, 'f', 'text/plain', $5, $6)`,
      [...ids, `${ids[0]}/ab/${key.slice(0, 24)}/f`, key, size, sha256],
    );
    return { key, sha256: createHash("sha256").update(bytes).digest("hex") };
  };
  const uploads = async (count: number, size: number) => {
    const made: Upload[] = [];
    for (let n = 0; n < count; n++) made.push(await upload(size));
    return made;
  };
  /** The keys of the objects in a folder of files that may not exist yet. */
  const keysIn = async (root: string) => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/tmp"))
      .map(({ name }) => name);
  };
  /** Waits for a state of a running command. */
  const whileRunning = (command: TestProcess, what: string, state: () => Promise<boolean>) =>
    waitFor(
      async () => {
        if (!command.running()) throw new Error(`the command ended:\n${command.output()}`);
        return state();
      },
      { what },
    );
  /** Kills a command, and waits until the database has rolled back what it did. */
  const kill = async (command: TestProcess, url: string) => {
    await command.kill();
    const name = new URL(url).pathname.slice(1);
    await waitFor(
      () =>
        administer(async (client) => {
          const { rows } = await client.query(
            `SELECT FROM pg_stat_activity WHERE datname = $1
              AND application_name IN ('carillon backup', 'carillon command', 'carillon doctor')`,
            [name],
          );
          return rows.length === 0;
        }),
      { what: "the command's connections are closed" },
    );
  };
  const expectAll = async (root: string, files: readonly Upload[]) => {
    const target = storeIn(root);
    for (const { key, sha256 } of files)
      expect((await hashObject(target, key))?.sha256.toString("hex"), key).to.equal(sha256);
  };

  it("restore everything when they run again", async () => {
    const files = [...(await uploads(20, 30_000)), ...(await uploads(1, 4_000_000))];
    files.push(...(await uploads(20, 30_000)));
    const backup = join(folder, "backup.gz");
    expect(await run(["backup", backup])).to.include({ code: 0 });
    const bytes = await readFile(backup);
    const [url, target] = [await emptyDatabase(), join(folder, "restored")];

    const first = start(["restore", "-"], url, target, true);
    first.child.stdin?.on("error", () => {});
    first.child.stdin?.write(bytes.subarray(0, bytes.length / 2));
    await whileRunning(first, "the large file is half written", async () => {
      const written = await readdir(join(target, "tmp")).catch(() => []);
      return written.length > 0 && (await keysIn(target)).length === 20;
    });
    await kill(first, url);

    const second = await commandLineOn(url, { FILES_DIR: target })(["restore", backup]);
    expect(second, second.noted).to.include({ code: 0 });
    expect(second.said).to.match(
      /^Restored 41 files \(.+\) in the folder .+; already there: 20\.$/m,
    );
    await expectAll(target, files);
    const restored = await connectDatabase(url, { max: 1, name: "restored" });
    const [rows] = await restored.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM attachments",
    );
    await restored.close();
    expect(rows).to.deep.equal({ count: 41 });
  });

  it("move everything when they run again, and have deleted nothing that was not copied", async () => {
    // More than a page of 500, so that files of the first page are deleted before the second page is copied.
    const files = (await uploads(510, 10)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const last = files.at(-1)!.key;
    const path = pathIn(own, last);
    const target = join(folder, "moved");
    // A file whose opening hangs until another process opens it, too.
    await rename(path, `${path}-kept`);
    execFileSync("mkfifo", [path]);
    const words = ["files", "move", "--from-folder", own, "--delete-source"];

    const first = start(words, db.url, target);
    await whileRunning(first, "the last file hangs", async () => {
      const [copied, left] = [await keysIn(target), await keysIn(own)];
      return copied.length === 509 && left.length <= 11;
    });
    await kill(first, db.url);
    const [copied, left] = [new Set(await keysIn(target)), new Set(await keysIn(own))];
    expect(left.has(files[0]!.key)).to.equal(false);
    for (const { key } of files)
      expect(copied.has(key) || left.has(key) || key === last, key).to.equal(true);

    await rm(path);
    await rename(`${path}-kept`, path);
    const second = await run(words, { FILES_DIR: target });
    expect(second, second.noted).to.include({ code: 0 });
    expect(second.said).to.match(/^Copied 1 file \(10 bytes\) .+; already there: 509\.$/m);
    await expectAll(target, files);
    expect(await keysIn(own)).to.deep.equal([]);
  });
});
