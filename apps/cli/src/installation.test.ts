import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDatabase, heartbeatOf } from "@carillon/db";
import { keptSecret, lockInstance, readSecret } from "@carillon/embedded";
import { secretsOf } from "@carillon/model";
import {
  administer,
  createTestDatabase,
  dropDatabase,
  organization,
  postgresUrl,
  redisUrl,
  testSecretKey,
  testSite,
  useDatabase,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import { randomBytes } from "node:crypto";

import { examineClocks } from "./doctor/clocks.ts";
import { commandLineOn, loginOn } from "./test-support.ts";

describe("carillon backup, restore, secret-key, dashboard and doctor", () => {
  const db = useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
  });
  after(() => rm(folder, { recursive: true }));
  const newKey = "another secret key of forty characters!!";

  it("move an installation from a server into a DATA_DIR, and from there to a server", async () => {
    const { member } = await organization(db);
    const file = join(folder, "backup.gz");
    const made = await commandLineOn(db.url)(["backup", file]);
    expect(made.noted).to.match(/^Backed up \d+ rows of \d+ tables\./);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(existsSync(`${file}.part`)).to.equal(false);
    expect(await commandLineOn(db.url)(["backup", file])).to.include({
      code: 1,
      noted: `carillon: ${file} is there already`,
    });

    const dataDir = join(folder, "data");
    const standalone = commandLineOn(undefined, { DATA_DIR: dataDir, SECRET_KEY: undefined });
    const wrong = await standalone(["restore", file, "--secret-key-file", "-"], { input: newKey });
    expect(wrong)
      .to.include({ code: 1 })
      .with.property("noted")
      .that.matches(/SECRET_KEY is not the one/);
    // Nothing was kept: the right key may be given then.
    expect(await readSecret(dataDir, "SECRET_KEY")).to.equal(undefined);
    const restored = await standalone(["restore", file, "--secret-key-file", "-"], {
      input: testSecretKey,
    });
    expect(restored.noted).to.equal("");
    expect(restored.said).to.match(/^Restored \d+ rows, as they were at 20.+Z\.$/);
    expect(await readSecret(dataDir, "SECRET_KEY")).to.equal(testSecretKey);
    // It has a database now.
    expect((await standalone(["restore", file])).noted).to.match(/not empty/);

    // From what npm start keeps, by standard output; nothing runs there, and nothing is left running.
    const piped = await standalone(["backup", "-"]);
    expect(piped)
      .to.include({ code: 0 })
      .with.property("noted")
      .that.matches(/^Backed up/);
    expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).to.equal(false);
    expect(existsSync(join(dataDir, "standalone.pid"))).to.equal(false);
    const name = `carillon_moved_${randomBytes(6).toString("hex")}`;
    const url = withDatabase(postgresUrl(), name);
    await administer((client) => client.query(`CREATE DATABASE ${name}`));
    try {
      const moved = await commandLineOn(url)(["restore", "-"], { input: piped.output });
      expect(moved.code).to.equal(0);
      const server = await connectDatabase(url, { max: 1, name: "test" });
      const found = await loginOn(server, testSite(), {
        email: member.deliveryEmail,
        apiKey: member.apiKey,
      });
      await server.close();
      expect(found).to.include({ id: member.id });
    } finally {
      await dropDatabase(name);
    }
  });

  it("keep the SECRET_KEY of what was restored, though what follows fails", async () => {
    const file = join(folder, "kept.gz");
    await commandLineOn(db.url)(["backup", file]);
    const dataDir = join(folder, "kept");
    const variables = { DATA_DIR: dataDir, SECRET_KEY: undefined };
    const words = ["restore", file, "--secret-key-file", "-"];
    const noQueues = commandLineOn(undefined, { ...variables, REDIS_URL: "redis://127.0.0.1:1" });
    expect((await noQueues(words, { input: testSecretKey })).code).to.equal(1);
    expect(await readSecret(dataDir, "SECRET_KEY")).to.equal(testSecretKey);
    expect((await commandLineOn(undefined, variables)(["organization", "list"])).code).to.equal(0);
  });

  it("seal everything with another SECRET_KEY while nothing runs, and keys stay what they are", async () => {
    const database = await createTestDatabase();
    try {
      const own = await database.connect();
      const { realm, member, bot } = await organization(own);
      await own.prisma.addressChange.create({
        data: {
          realmId: realm.id,
          userId: member.id,
          oldAddress: "a@b.test",
          newAddress: "c@d.test",
          tokenSealed: Buffer.from(secretsOf(testSecretKey).seal("token")),
          tokenDigest: Buffer.from(secretsOf(testSecretKey).digest("token")),
        },
      });
      const run = commandLineOn(database.url);
      const words = ["secret-key", "rotate", "--new-key-file", "-"];
      const beating = heartbeatOf("gateway");
      await beating.beat(own);
      const before = await own.rows("SELECT api_key_sealed FROM users ORDER BY id");
      expect((await run(words, { input: newKey })).noted).to.match(
        /stop all gateways and workers first: gateway \d+ on/,
      );
      await beating.end(own);
      expect((await run(words, { input: "short" })).noted).to.match(
        /SECRET_KEY must have at least 32/,
      );
      expect((await run(words, { input: testSecretKey })).noted).to.match(
        /the new SECRET_KEY is the old one/,
      );
      const stranger = commandLineOn(database.url, { SECRET_KEY: newKey });
      expect((await stranger(words, { input: `${newKey}x` })).noted).to.match(
        /SECRET_KEY is not the one/,
      );
      expect(await own.rows("SELECT api_key_sealed FROM users ORDER BY id")).to.deep.equal(before);

      const rotated = await run(words, { input: `${newKey}\n` });
      expect(rotated)
        .to.include({ code: 0 })
        .with.property("said")
        .that.matches(/^\d+ secrets are sealed/);
      expect(rotated.said + rotated.noted).to.not.include(newKey);
      const secrets = secretsOf(newKey);
      for (const { deliveryEmail: email, apiKey } of [member, bot]) {
        expect(await loginOn(own, testSite({ secrets }), { email, apiKey })).to.have.property("id");
        expect(await loginOn(own, testSite(), { email, apiKey })).to.have.property("refused");
      }
      const sealed = await own.prisma.user.findMany();
      for (const { apiKeySealed } of sealed)
        expect(secrets.open(apiKeySealed)).to.match(/^\w{32}$/);
      const [change] = await own.prisma.addressChange.findMany();
      expect(secrets.open(change?.tokenSealed ?? Buffer.alloc(0))).to.equal("token");
      expect(change?.tokenDigest).to.deep.equal(secrets.digest("token"));
    } finally {
      await database.drop();
    }
  });

  it("make and keep the new SECRET_KEY and the dashboard's password of npm start", async () => {
    const dataDir = join(folder, "data");
    const standalone = commandLineOn(undefined, { DATA_DIR: dataDir, SECRET_KEY: undefined });
    const rotated = await standalone(["secret-key", "rotate"]);
    expect(rotated.noted).to.equal("");
    const made = (await readSecret(dataDir, "SECRET_KEY")) ?? "";
    expect(made).to.match(/^[0-9a-f]{64}$/);
    expect(await readSecret(dataDir, "NEXT_SECRET_KEY")).to.equal(undefined);
    expect(rotated.said).to.not.include(made);
    expect((await standalone(["organization", "list"])).code).to.equal(0);
    // Killed after the commit: the key that everything is sealed with is kept as the next one only.
    const secrets = JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8")) as object;
    const between = { ...secrets, SECRET_KEY: testSecretKey, NEXT_SECRET_KEY: made };
    await writeFile(join(dataDir, "secrets.json"), JSON.stringify(between));
    expect((await standalone(["organization", "list"])).noted).to.match(
      /SECRET_KEY is not the one/,
    );
    const another = ["secret-key", "rotate", "--new-key-file", "-"];
    expect((await standalone(another, { input: newKey })).noted).to.match(
      /rotation to another key was broken off: end it/,
    );
    expect((await standalone(["secret-key", "rotate"])).code).to.equal(0);
    expect(await readSecret(dataDir, "SECRET_KEY")).to.equal(made);
    expect((await standalone(["organization", "list"])).code).to.equal(0);

    const old = await keptSecret(dataDir, "DASHBOARD_PASSWORD", () => "old");
    const changed = await standalone(["dashboard", "rotate-password"]);
    const password = await readSecret(dataDir, "DASHBOARD_PASSWORD");
    expect(password)
      .to.match(/^\w{24}$/)
      .and.not.equal(old);
    expect(changed.said)
      .to.include(`DASHBOARD_PASSWORD in ${dataDir}/secrets.json`)
      .and.not.include(password);
    const servers = commandLineOn(db.url, { DASHBOARD_PASSWORD: "x" });
    expect((await servers(["dashboard", "rotate-password"])).noted).to.match(/change the variable/);
    const nowhere = commandLineOn(undefined, { DATA_DIR: join(folder, "nowhere") });
    expect((await nowhere(["dashboard", "rotate-password"])).noted).to.match(
      /is not one that npm start made/,
    );
  });

  it("keep off a DATA_DIR that somebody works on, where they would get in each other's way", async () => {
    const dataDir = join(folder, "data");
    const lock = lockInstance(dataDir);
    try {
      const standalone = commandLineOn(undefined, { DATA_DIR: dataDir, SECRET_KEY: undefined });
      expect((await standalone(["restore", join(folder, "backup.gz")])).noted).to.match(
        /Carillon runs already on DATA_DIR/,
      );
    } finally {
      lock.release();
    }
  });

  it("find what is in order and what is not", async () => {
    const states = (said: string) =>
      Object.fromEntries(
        (JSON.parse(said) as { what: string; state: string }[]).map(({ what, state }) => [
          what,
          state,
        ]),
      );
    const heartbeat = heartbeatOf("worker");
    await heartbeat.beat(db);
    await heartbeat.beat(db);
    await organization(db);
    const well = await commandLineOn(db.url)(["doctor", "--json"]);
    expect(well.code).to.equal(0);
    expect(states(well.said)).to.include({
      database: "ok",
      migrations: "ok",
      SECRET_KEY: "ok",
      "clock of this machine": "ok",
      processes: "ok",
    });
    await db.rows("UPDATE process_heartbeats SET clock_ahead = -7.5");
    const late = await commandLineOn(db.url)(["doctor"]);
    expect(late)
      .to.include({ code: 0 })
      .with.property("said")
      .that.matches(/^warning  clock of worker \d+ on .+: 7\.5 s behind the database's$/m);
    await heartbeat.end(db);
    const [here] = await examineClocks(db, { now: () => Date.now() - 90_000 });
    expect(here).to.deep.include({ what: "clock of this machine", state: "warning" });
    expect(here?.text).to.match(/^\d\d\.\d s behind the database's$/);

    const ill = await commandLineOn(db.url, {
      SECRET_KEY: newKey,
      TRUSTED_PROXIES: "everybody",
      PUSH_SERVER_ID: "00000000-0000-4000-8000-000000000000",
    })(["doctor", "--json"]);
    expect(ill).to.include({ code: 1, noted: "carillon: 3 of 12 checks failed" });
    expect(states(ill.said)).to.include({
      SECRET_KEY: "failed",
      TRUSTED_PROXIES: "failed",
      push: "failed",
      migrations: "ok",
    });
    const away = await commandLineOn("postgresql://127.0.0.1:1/x")(["doctor"]);
    expect(away.said).to.match(/^failed   database: DATABASE_URL: no PostgreSQL answers/m);
  });

  it("look at Redis too", async function () {
    const redis = redisUrl() ?? this.skip();
    const found = await commandLineOn(db.url, { REDIS_URL: redis })(["doctor"]);
    expect(found.said).to.match(/^(ok|warning) +Redis: /m);
    const none = await commandLineOn(db.url, { REDIS_URL: "redis://127.0.0.1:1" })(["doctor"]);
    expect(none)
      .to.include({ code: 1 })
      .with.property("said")
      .that.matches(/^failed   Redis: REDIS_URL: cannot reach/m);
  });
});
