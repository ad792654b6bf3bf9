import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@carillon/db";
import {
  channel,
  organization,
  pastMessages,
  testSecretKey,
  type TestProcess,
  useDatabase,
  useGateway,
  useProcesses,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

/** Maximum kills of a command. */
const maxKills = 6;

describe("carillon organization export and import, killed while they run", () => {
  const db = useDatabase();
  const other = useDatabase();
  const gateway = useGateway(db);
  const processes = useProcesses();
  let parent: string;
  let folder: string;
  let realmId: number;
  const files = () => ({ FILES_DIR: join(parent, "files"), PUBLIC_URL: "http://carillon.test" });

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "carillon-transfer-"));
    folder = join(parent, "export");
    const { realm, member, owner } = await organization(db, { subdomain: "bells", name: "Bells" });
    realmId = realm.id;
    const room = await channel(db, realm, { subscribers: [member, owner] });
    await pastMessages(db, room, member, { count: 12_000 });
    expect((await gateway.as(member).get("/api/v1/users/me")).status).to.equal(200);
    await organization(other, { subdomain: "present" });
  });
  after(() => rm(parent, { recursive: true }));

  const start = (words: readonly string[], url: string): TestProcess =>
    processes.carillon(words, { DATABASE_URL: url, SECRET_KEY: testSecretKey, ...files() });
  /** Kills a command once it reaches a state that it has not had before. Returns undefined if the command ends first. */
  const killedIn = async (command: TestProcess, state: () => Promise<string | undefined>) => {
    const found = await waitFor(async () => (command.running() ? state() : "ended"), {
      what: "the next state",
      everyMs: 5,
    });
    if (found === "ended") return undefined;
    await command.kill();
    return found;
  };
  const count = async (of: Database, table: string, condition: string) => {
    const [row] = await of.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`,
    );
    return row?.n;
  };

  it("exports everything when it is run again, and writes the manifest last", async () => {
    const seen = new Set<string>();
    const nextFile = async () => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
        const state = `${name} ${Math.floor(size / 500_000)}`;
        if (!seen.has(state) && name !== "files") {
          seen.add(state);
          return state;
        }
      }
      return undefined;
    };
    let kills = 0;
    while (kills < maxKills) {
      const state = await killedIn(
        start(["organization", "export", folder, "--organization", "bells"], db.url),
        nextFile,
      );
      if (state === undefined) break;
      kills++;
      if (!state.startsWith("manifest.json"))
        expect(await readdir(folder)).not.to.include("manifest.json");
    }
    expect(kills).to.be.greaterThan(3);
    if (!(await readdir(folder)).includes("manifest.json")) {
      const ended = await commandLineOn(
        db.url,
        files(),
      )(["organization", "export", folder, "--organization", "bells"]);
      expect(ended.said, ended.noted).to.match(
        /^Exported Bells to .*: 9 accounts, 1 channel, 12000 messages, 0 files\./,
      );
    }
  });

  it("imports everything once, however often it is killed, and cannot be reached until it is complete", async () => {
    let last = "";
    const nextSlice = async () => {
      const [row] = await other.rows<{ place: string }>(
        "SELECT step || ' ' || line AS place FROM organization_imports WHERE finished_at IS NULL",
      );
      if (!row || row.place === last) return undefined;
      last = row.place;
      return last;
    };
    const words = ["organization", "import", folder];
    const points = new Set<string>();
    // packages/moving/src/import-faults.test.ts interrupts the import after each batch, within one process.
    while (points.size < maxKills) {
      const place = await killedIn(start(words, other.url), nextSlice);
      if (place === undefined) break;
      points.add(place);
      expect(await count(other, "realms", "subdomain = 'bells'")).to.equal(0);
    }
    expect(points.size).to.be.greaterThan(3);
    if (points.size === maxKills) {
      const ended = await commandLineOn(other.url, files())(words);
      expect(ended.said, ended.noted).to.match(
        /^Imported Bells at .*: 9 accounts, 12000 messages\.$/,
      );
    }
    const [realm] = await other.rows<{ id: number }>(
      "SELECT id FROM realms WHERE subdomain = 'bells' AND NOT deactivated",
    );
    expect(realm).not.to.equal(undefined);
    for (const [table, scope] of [
      ["messages", (id: number) => `realm_id = ${id}`],
      ["users", (id: number) => `realm_id = ${id}`],
      ["user_messages", (id: number) => `user_id IN (SELECT id FROM users WHERE realm_id = ${id})`],
    ] as const)
      expect(await count(other, table, scope(realm?.id ?? 0)), table).to.equal(
        await count(db, table, scope(realmId)),
      );
    const again = await commandLineOn(other.url, files())(words);
    expect(again.code).to.equal(1);
    expect(again.noted).to.match(
      /was imported at .* for another copy, export the organization again/,
    );
  });
});
