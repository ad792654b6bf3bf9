import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { connectStore } from "@carillon/db";
import { bouncerMigrations } from "@carillon/push";
import {
  dropDatabase,
  postgresUrl,
  startTestBouncer,
  testSecretKey,
  useDatabase,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "../test-support.ts";

describe("carillon backup --bouncer and restore --bouncer", () => {
  const db = useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
  });
  after(() => rm(folder, { recursive: true }));

  it("restore a bouncer's servers and keys into a new database", async () => {
    const bouncer = await startTestBouncer();
    const name = `carillon_bouncer_${randomBytes(6).toString("hex")}`;
    const url = withDatabase(postgresUrl(), name);
    const file = join(folder, "bouncer.gz");
    try {
      const { id } = await bouncer.addServer();
      const from = commandLineOn(db.url, { BOUNCER_DATABASE_URL: bouncer.databaseUrl });
      expect(await from(["backup", "--bouncer", file])).to.include({ code: 0 });

      const words = ["restore", "--bouncer", file];
      const wrong = { BOUNCER_DATABASE_URL: url, SECRET_KEY: `${testSecretKey}x` };
      expect((await commandLineOn(db.url, wrong)(words)).noted).to.match(/SECRET_KEY differs from/);
      const into = commandLineOn(db.url, { BOUNCER_DATABASE_URL: url });
      expect((await into(words)).said).to.match(/^Restored \d+ rows of the bouncer's backup/);
      expect((await into(words)).noted).to.match(/^carillon: BOUNCER_DATABASE_URL: .* not empty/);
      const store = await connectStore(url, { max: 1, name: "test" }, bouncerMigrations);
      const servers = await store.rows<{ id: string }>("SELECT id::text AS id FROM server");
      await store.close();
      expect(servers.map((server) => server.id)).to.deep.equal([id]);
    } finally {
      await dropDatabase(name);
      await bouncer.close();
    }
  });

  it("refuse the backup of the other database", async () => {
    const file = join(folder, "chat.gz");
    const chat = commandLineOn(db.url);
    expect((await chat(["backup", file])).code).to.equal(0);
    expect((await chat(["backup", "--bouncer", join(folder, "none")])).noted).to.match(
      /BOUNCER_DATABASE_URL is not set/,
    );
    const name = `carillon_bouncer_${randomBytes(6).toString("hex")}`;
    const into = commandLineOn(db.url, {
      BOUNCER_DATABASE_URL: withDatabase(postgresUrl(), name),
    });
    try {
      expect((await into(["restore", "--bouncer", file])).noted).to.match(/without --bouncer/);
    } finally {
      await dropDatabase(name);
    }
  });
});
