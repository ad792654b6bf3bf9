import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  channel,
  organization,
  pastMessages,
  type TestChannel,
  testSecretKey,
  type TestOrganization,
  useDatabase,
  useProcesses,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { examineMoves } from "./doctor/moves.ts";
import { commandLineOn } from "./test-support.ts";

const count = 6_000;

describe("carillon organization export, disturbed", () => {
  const db = useDatabase();
  const other = useDatabase();
  const processes = useProcesses();
  let parent: string;
  let org: TestOrganization;
  let room: TestChannel;

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "carillon-attacked-"));
    org = await organization(db, { subdomain: "bells", name: "Bells" });
    room = await channel(db, org.realm, { subscribers: [org.member, org.owner] });
    await pastMessages(db, room, org.member, { count });
    await organization(other, { subdomain: "present" });
  });
  after(() => rm(parent, { recursive: true, force: true }));

  const files = () => ({ FILES_DIR: join(parent, "files"), PUBLIC_URL: "http://carillon.test" });
  const run = (url: string, ...words: readonly string[]) =>
    commandLineOn(url, files())(["organization", ...words]);
  const named = ["--organization", "bells"];

  it("is refused while another process exports into the folder, and leaves that export complete, even if it was suspended meanwhile", async () => {
    const folder = join(parent, "twice");
    const first = processes.carillon(["organization", "export", folder, ...named], {
      DATABASE_URL: db.url,
      SECRET_KEY: testSecretKey,
      ...files(),
    });
    await waitFor(
      async () => {
        const names = await readdir(folder).catch((): string[] => []);
        return names.includes("messages.ndjson.part") || !first.running();
      },
      { what: "messages are being exported", everyMs: 5 },
    );
    first.signal("SIGSTOP");
    const second = await run(db.url, "export", folder, ...named);
    expect(second).to.include({ code: 1 });
    expect(second.noted).to.match(/another process is exporting into this folder/);
    expect((await run(db.url, "export", join(parent, "other"), ...named)).code).to.equal(0);
    await pastMessages(db, room, org.member, { count: 500 });
    first.signal("SIGCONT");
    expect(await first.exit, first.output()).to.deep.equal({ code: 0, signal: null });
    const imported = await run(other.url, "import", folder);
    expect(imported.said, imported.noted).to.match(
      new RegExp(`^Imported Bells at .*: 9 accounts, ${count} messages\\.$`),
    );
    await other.rows("UPDATE realms SET read_only_since = read_only_since - interval '2 hours'");
    const findings = await examineMoves(other);
    expect(
      findings.map(({ state }) => state),
      "a copy for a trial",
    ).to.deep.equal(["ok"]);
  });

  describe("onto a disk that is full", () => {
    let disk: string;
    const mount = (...words: readonly string[]) => execFileSync("mount", words, { stdio: "pipe" });
    if (!mayMount()) {
      it("needs the right to mount a file system");
      return;
    }
    before(async () => {
      disk = join(parent, "disk");
      await mkdir(disk);
      mount("-t", "tmpfs", "-o", "size=200k", "tmpfs", disk);
    });
    after(() => execFileSync("umount", [disk], { stdio: "pipe" }));

    it("says that the organization is still read-only, and completes when the command is run again", async () => {
      const words = ["export", join(disk, "bells"), "--final", ...named];
      const full = await run(db.url, ...words);
      expect(full).to.include({ code: 1 });
      expect(full.noted).to.match(/ENOSPC/);
      expect(full.noted).to.match(/is read-only\. Run the same command again, or open/);
      expect((await run(db.url, "list")).said).to.match(/accounts {2}read-only$/);
      await db.rows("UPDATE realms SET read_only_since = read_only_since - interval '2 hours'");
      expect(await examineMoves(db)).to.have.length(1);
      expect((await examineMoves(db))[0]?.text).to.match(
        /^the organization bells has been read-only since .*; else run the export again, or reopen --not-imported$/,
      );
      mount("-o", "remount,size=100m", disk);
      expect((await run(db.url, ...words)).said).to.match(/^Exported Bells /);
      const again = await run(db.url, ...words);
      expect(again).to.include({ code: 1 });
      expect(again.noted).not.to.match(/Run the same command again/);
      const refused = await run(db.url, "reopen", ...named);
      expect(refused).to.include({ code: 1 });
      expect(refused.noted).to.match(/both organizations would send .* --not-imported$/);
      const reopened = await run(db.url, "reopen", "--not-imported", ...named);
      expect(reopened.said).to.match(/^Bells is open again/);
      expect((await examineMoves(db)).map(({ state }) => state)).to.deep.equal(["ok"]);
    });
  });
});

/** Tries to mount an empty file system, because root in a container may lack the right. */
function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "carillon-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "pipe" });
    execFileSync("umount", [folder], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
