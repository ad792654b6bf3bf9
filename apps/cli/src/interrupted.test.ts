import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  appArguments,
  copyInitialisedDataDir,
  organization,
  testSecretKey,
  testSite,
  useDatabase,
  useBlocker,
} from "@carillon/testkit";
import { expect } from "chai";

import { Cleanups } from "./cleanups.ts";
import { withInstallation } from "./installation.ts";
import { commandLineOn, loginOn } from "./test-support.ts";

describe("a command that is interrupted or fails", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("leaves no partial backup", async () => {
    const cleanups = new Cleanups();
    await blocker.lock("LOCK TABLE users IN ACCESS EXCLUSIVE MODE");
    const ended = commandLineOn(db.url)(["backup", join(folder, "b.gz")], { cleanups });
    await blocker.untilWaiting(1, "the backup");
    expect(readdirSync(folder)).to.deep.equal(["b.gz.part"]);
    await cleanups.interrupt();
    expect(readdirSync(folder)).to.deep.equal([]);
    await blocker.release();
    expect(await ended).to.include({ code: 130, noted: "" });
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("never overwrites a file that appeared meanwhile", async () => {
    const file = join(folder, "raced.gz");
    await blocker.lock("LOCK TABLE users IN ACCESS EXCLUSIVE MODE");
    const ended = commandLineOn(db.url)(["backup", file]);
    await blocker.untilWaiting(1, "the backup");
    await writeFile(file, "somebody's");
    await blocker.release();
    expect(await ended)
      .to.include({ code: 1 })
      .with.property("noted")
      .that.matches(/EEXIST/);
    expect(await readFile(file, "utf8")).to.equal("somebody's");
    expect(existsSync(`${file}.part`)).to.equal(false);
  });

  it("writes no backup to a terminal, and no stack for a missing file", async () => {
    expect(await commandLineOn(db.url)(["backup", "-"], { shown: true })).to.include({ code: 2 });
    const restored = await commandLineOn(db.url)(["restore", folder]);
    expect(restored).to.include({ code: 1, noted: `carillon: ${folder} cannot be read (EISDIR)` });
    const none = await commandLineOn(db.url)(["restore", join(folder, "none")]);
    expect(none.noted).to.match(/none cannot be read \(ENOENT\)$/);
    const empty = join(folder, "empty");
    await writeFile(empty, "");
    expect((await commandLineOn(db.url)(["restore", empty])).noted).to.match(/not empty/);
  });

  it("stops the PostgreSQL that was started for it", async () => {
    const dataDir = join(folder, "data");
    await copyInitialisedDataDir(dataDir);
    const variables = { DATA_DIR: dataDir, SECRET_KEY: testSecretKey };
    const cleanups = new Cleanups();
    const terminal = { say() {}, note() {} } as never;
    const working = new Promise<void>((resolve) => {
      void withInstallation({ terminal, cleanups, variables }, async () => {
        resolve();
        await new Promise(() => {});
      });
    });
    await working;
    expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).to.equal(true);
    await cleanups.interrupt();
    expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).to.equal(false);
    expect(existsSync(join(dataDir, "standalone.pid"))).to.equal(false);
  });

  it("keeps an account's key if the new one cannot be written", async function () {
    const { member } = await organization(db);
    const file = join(folder, "full.zuliprc");
    const words = ["key", "issue", String(member.id), "--zuliprc", file];
    // As on a disk that is full: no file may get a byte.
    const child = spawn(
      "sh",
      ["-c", 'ulimit -f 0; exec "$@"', "sh", process.execPath, ...appArguments("cli"), ...words],
      {
        env: {
          ...process.env,
          DATABASE_URL: db.url,
          SECRET_KEY: testSecretKey,
          PUBLIC_URL: "http://localhost:9991",
        },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let noted = "";
    child.stderr.on("data", (piece: Buffer) => (noted += piece.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    expect(noted).to.match(/EFBIG/);
    expect(code).to.equal(1);
    expect(existsSync(file)).to.equal(false);
    const { deliveryEmail: email, apiKey } = member;
    expect(await loginOn(db, testSite(), { email, apiKey })).to.have.property("id", member.id);
  });
});
