import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importOrganization, transferKeyOf } from "@carillon/moving";
import {
  channel,
  organization,
  pastMessages,
  testFiles,
  testSite,
  useDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

describe("the progress of carillon organization export, import and import --discard", () => {
  const db = useDatabase();
  const other = useDatabase();
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-progress-"));
    const { realm, member } = await organization(db, { subdomain: "bells", name: "Bells" });
    const room = await channel(db, realm, { subscribers: [member] });
    await pastMessages(db, room, member, { count: 10_001, holders: [] });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs a command, and returns its lines of progress. */
  async function progressOf(words: readonly string[], url = other.url): Promise<string[]> {
    const files = { FILES_DIR: join(folder, "files"), PUBLIC_URL: "http://carillon.test" };
    const run = commandLineOn(url, files);
    const { code, noted } = await run(["organization", ...words], { progressMs: 0 });
    expect(code, noted).to.equal(0);
    return noted.split("\n");
  }

  it("names each table with the number of its exported records, and counts in steps of 10,000", async () => {
    const lines = await progressOf(["export", join(folder, "bells")], db.url);
    expect(lines).to.include.members(["users: 9", "channels: 1", "realms: 1"]);
    expect(lines.filter((line) => line.startsWith("messages: "))).to.deep.equal([
      "messages: 10000",
      "messages: 10001",
    ]);
  });

  it("counts the rows that an unfinished import has stored as they are deleted, and imported records", async () => {
    const from = join(folder, "bells");
    const breakOff = (step: string) => {
      if (step === "messages") throw new Error("broken off");
    };
    const importing = importOrganization({
      databaseUrl: other.url,
      db: other,
      site: testSite(),
      folder: from,
      subdomain: undefined,
      key: transferKeyOf((await readFile(`${from}.key`, "utf8")).trim()),
      files: testFiles(),
      progress: breakOff,
    });
    expect(await importing.catch(String)).to.equal("Error: broken off");
    const discarded = await progressOf(["import", from, "--discard"]);
    expect(discarded).to.include.members(["delete messages: 500", "delete channels: 1"]);
    const imported = await progressOf(["import", from]);
    expect(imported).to.include.members(["number users: 9", "users: 9", "messages: 10001"]);
  });
});
