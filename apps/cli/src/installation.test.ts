import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDatabase, type Database } from "@carillon/db";
import { heartbeatOf } from "@carillon/scheduling";
import { readOrCreateSecret, lockInstance, readSecret } from "@carillon/embedded";
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

/** A database without tables. */
async function emptyDatabase() {
  const name = `carillon_moved_${randomBytes(6).toString("hex")}`;
  const url = withDatabase(postgresUrl(), name);
  await administer((client) => client.query(`CREATE DATABASE ${name}`));
  let db: Database | undefined;
  return {
    url,
    async connect() {
      db ??= await connectDatabase(url, { max: 1, name: "test" });
      return db;
    },
    async drop() {
      await db?.close();
      await dropDatabase(name);
    },
  };
}

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
    expect(made.noted).to.match(/^Backed up \d+ rows of \d+ tables and 0 files \(0 bytes\)\./);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(existsSync(`${file}.part`)).to.equal(false);
    expect(await commandLineOn(db.url)(["backup", file])).to.include({
      code: 1,
      noted: `carillon: ${file} already exists`,
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
    expect(restored.said).to.match(/^Restored \d+ rows of the backup of 20.+Z\.$/);
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

  it("keep the SECRET_KEY of a restore whose later steps fail", async () => {
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

  it("re-encrypt with another SECRET_KEY while nothing runs, and keep API keys", async () => {
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
      await own.prisma.passwordReset.create({
        data: {
          realmId: realm.id,
          userId: member.id,
          email: "a@b.test",
          keySealed: Buffer.from(secretsOf(testSecretKey).seal("key")),
          keyDigest: Buffer.from(secretsOf(testSecretKey).digest("key")),
        },
      });
      await own.prisma.invitation.create({
        data: reusableLink(realm.id, member.id, secretsOf(testSecretKey)),
      });
      const dataDir = join(folder, "sealed-anew");
      const run = commandLineOn(database.url, { DATA_DIR: dataDir });
      const words = ["secret-key", "rotate", "--new-key-file", "-"];
      const beating = heartbeatOf("gateway");
      await beating.beat(own);
      const before = await own.rows("SELECT api_key_sealed FROM users ORDER BY id");
      expect((await run(words, { input: newKey })).noted).to.match(
        /stop all gateways and workers first; seen within the last 30 s: gateway \d+ on/,
      );
      await beating.end(own);
      expect((await run(words, { input: "short" })).noted).to.match(
        /SECRET_KEY must have at least 32/,
      );
      expect((await run(words, { input: testSecretKey })).noted).to.match(
        /the new SECRET_KEY equals the old one/,
      );
      const stranger = commandLineOn(database.url, { SECRET_KEY: newKey, DATA_DIR: dataDir });
      expect((await stranger(words, { input: `${newKey}x` })).noted).to.match(
        /SECRET_KEY is not the one/,
      );
      expect(await own.rows("SELECT api_key_sealed FROM users ORDER BY id")).to.deep.equal(before);

      const rotated = await run(words, { input: `${newKey}\n` });
      expect(rotated)
        .to.include({ code: 0 })
        .with.property("said")
        .that.matches(/^\d+ secrets re-encrypted/);
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
      const [reset] = await own.prisma.passwordReset.findMany();
      expect(secrets.open(reset?.keySealed ?? Buffer.alloc(0))).to.equal("key");
      expect(reset?.keyDigest).to.deep.equal(secrets.digest("key"));
      const [link] = await own.prisma.invitation.findMany();
      expect(secrets.open(link?.keySealed ?? Buffer.alloc(0))).to.equal("key");
      expect(link?.keyDigest).to.deep.equal(secrets.digest("key"));
    } finally {
      await database.drop();
    }
  });

  it("keep the replaced SECRET_KEY, and restore an older backup with it", async () => {
    const { member } = await organization(db);
    const first = join(folder, "rotated.gz");
    await commandLineOn(db.url)(["backup", first]);
    const dataDir = join(folder, "rotated");
    const standalone = commandLineOn(undefined, { DATA_DIR: dataDir, SECRET_KEY: undefined });
    await standalone(["restore", first, "--secret-key-file", "-"], { input: testSecretKey });
    const backup = join(folder, "the-day-before.gz");
    await standalone(["backup", backup]);
    const rotated = await standalone(["secret-key", "rotate"]);
    const [, oldKey = ""] =
      /The old key is in (\S+), readable by this user/.exec(rotated.said) ?? [];
    expect(oldKey.startsWith(`${dataDir}/old-secret-keys/until-`)).to.equal(true);
    expect((await stat(oldKey)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(dataDir, "old-secret-keys"))).mode & 0o777).to.equal(0o700);
    expect(await readFile(oldKey, "utf8")).to.equal(`${testSecretKey}\n`);
    expect(rotated.said).to.not.include(testSecretKey);

    const again = commandLineOn(undefined, {
      DATA_DIR: join(folder, "restored"),
      SECRET_KEY: undefined,
    });
    const restored = await again(["restore", backup, "--secret-key-file", oldKey]);
    expect(restored).to.include({ code: 0, noted: "" });
    expect((await again(["organization", "list"])).code).to.equal(0);
    // Of servers, which have the new key by now.
    const server = await emptyDatabase();
    try {
      const servers = commandLineOn(server.url, { SECRET_KEY: undefined });
      const words = ["restore", backup, "--secret-key-file"];
      const both = await commandLineOn(server.url)([...words, oldKey]);
      expect(both).to.include({ code: 2 });
      expect((await servers(["restore", backup])).noted).to.match(
        /SECRET_KEY is not set: .+--secret-key-file/,
      );
      expect((await servers([...words, oldKey])).said).to.match(
        /Start the processes with the given SECRET_KEY/,
      );
      const own = await server.connect();
      const { deliveryEmail: email, apiKey } = member;
      expect(await loginOn(own, testSite(), { email, apiKey })).to.include({ id: member.id });
    } finally {
      await server.drop();
    }
  });

  it("keep no old SECRET_KEY of a failed rotation, and refuse to rotate if it cannot be kept", async () => {
    const database = await createTestDatabase();
    try {
      const own = await database.connect();
      await organization(own);
      const dataDir = join(folder, "servers");
      const run = commandLineOn(database.url, { DATA_DIR: dataDir });
      const words = ["secret-key", "rotate", "--new-key-file", "-"];
      const beating = heartbeatOf("gateway");
      await beating.beat(own);
      expect((await run(words, { input: newKey })).code).to.equal(1);
      await beating.end(own);
      expect(await readdir(join(dataDir, "old-secret-keys"))).to.deep.equal([]);
      await writeFile(join(folder, "a-file"), "");
      const nowhere = commandLineOn(database.url, { DATA_DIR: join(folder, "a-file") });
      expect((await nowhere(words, { input: newKey })).noted).to.match(
        /the old SECRET_KEY cannot be kept in .+--old-key-file$/,
      );
      const taken = [...words, "--old-key-file", join(folder, "a-file")];
      expect((await run(taken, { input: newKey })).noted).to.match(/a-file already exists$/);
      expect((await run(["organization", "list"])).code).to.equal(0);

      const kept = join(folder, "old-key");
      const rotated = await run([...words, "--old-key-file", kept], { input: newKey });
      expect(rotated.said).to.include(`The old key is in ${kept},`);
      expect(await readFile(kept, "utf8")).to.equal(`${testSecretKey}\n`);
    } finally {
      await database.drop();
    }
  });

  it("restore a backup whose SECRET_KEY is lost: new keys and links, same passwords", async () => {
    const { member, bot, realm } = await organization(db);
    await db.prisma.addressChange.create({
      data: {
        realmId: realm.id,
        userId: member.id,
        oldAddress: member.deliveryEmail,
        newAddress: "c@d.test",
        tokenSealed: Buffer.from(secretsOf(testSecretKey).seal("token")),
        tokenDigest: Buffer.from(secretsOf(testSecretKey).digest("token")),
      },
    });
    await db.prisma.passwordReset.create({
      data: {
        realmId: realm.id,
        userId: member.id,
        email: member.deliveryEmail,
        keySealed: Buffer.from(secretsOf(testSecretKey).seal("key")),
        keyDigest: Buffer.from(secretsOf(testSecretKey).digest("key")),
      },
    });
    await db.prisma.invitation.create({
      data: reusableLink(realm.id, member.id, secretsOf(testSecretKey)),
    });
    const file = join(folder, "lost.gz");
    await commandLineOn(db.url)(["backup", file]);
    const dataDir = join(folder, "anew");
    const standalone = commandLineOn(undefined, {
      DATA_DIR: dataDir,
      PUBLIC_URL: "https://chat.example",
      SECRET_KEY: undefined,
    });
    const contradiction = ["restore", file, "--without-secrets", "--secret-key-file", "-"];
    expect((await standalone(contradiction)).code).to.equal(2);
    const restored = await standalone(["restore", file, "--without-secrets"]);
    expect(restored).to.include({ code: 0, noted: "" });
    expect(restored.said).to.match(/^\d+ accounts have a new API key/m);
    const made = (await readSecret(dataDir, "SECRET_KEY")) ?? "";
    expect(made).to.match(/^[0-9a-f]{64}$/);
    const words = ["key", "issue", member.deliveryEmail, "--organization", realm.subdomain];
    expect((await standalone([...words, "--zuliprc", "-"])).code).to.equal(0);

    const server = await emptyDatabase();
    try {
      const servers = commandLineOn(server.url, { SECRET_KEY: newKey });
      expect((await servers(["restore", file, "--without-secrets"])).code).to.equal(0);
      const own = await server.connect();
      const secrets = secretsOf(newKey);
      const site = testSite({ secrets });
      for (const { id, deliveryEmail: email, apiKey } of [member, bot]) {
        expect(await loginOn(own, site, { email, apiKey })).to.have.property("refused");
        const row = await own.prisma.user.findUniqueOrThrow({ where: { id } });
        const next = secrets.open(row.apiKeySealed);
        expect(await loginOn(own, site, { email, apiKey: next })).to.include({ id });
        const { passwordHash } = await db.prisma.user.findUniqueOrThrow({ where: { id } });
        expect(row.passwordHash).to.equal(passwordHash);
      }
      expect(await own.prisma.addressChange.count()).to.equal(0);
      expect(await own.prisma.passwordReset.count()).to.equal(0);
      expect(await own.prisma.invitation.count()).to.equal(0);
      const audited = await own.prisma.auditLog.findMany({
        where: { realmId: realm.id, eventType: "api_keys_issued_anew" },
      });
      expect(audited).to.have.length(1);
    } finally {
      await server.drop();
    }
    await db.prisma.addressChange.deleteMany({});
    await db.prisma.passwordReset.deleteMany({});
    await db.prisma.invitation.deleteMany({});
  });

  it("generate and keep the SECRET_KEY and the dashboard's password of npm start", async () => {
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
      /rotation to another key was interrupted: finish it/,
    );
    expect((await standalone(["secret-key", "rotate"])).code).to.equal(0);
    expect(await readSecret(dataDir, "SECRET_KEY")).to.equal(made);
    expect((await standalone(["organization", "list"])).code).to.equal(0);

    const old = await readOrCreateSecret(dataDir, "DASHBOARD_PASSWORD", () => "old");
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
      /was not created by npm start/,
    );
  });

  it("refuse a DATA_DIR in use", async () => {
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

  it("report the findings of all checks", async () => {
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
      OUTGOING_ALLOWED_NETWORKS: "10.0.0.0/8,localhost",
      PUSH_SERVER_ID: "00000000-0000-4000-8000-000000000000",
    })(["doctor", "--json"]);
    expect(ill).to.include({ code: 1, noted: "carillon: 4 of 18 checks failed" });
    expect(states(ill.said)).to.include({
      SECRET_KEY: "failed",
      TRUSTED_PROXIES: "failed",
      OUTGOING_ALLOWED_NETWORKS: "failed",
      push: "failed",
      migrations: "ok",
    });
    const away = await commandLineOn("postgresql://127.0.0.1:1/x")(["doctor"]);
    expect(away.said).to.match(/^failed   database: DATABASE_URL: no PostgreSQL answers/m);
  });

  it("check Redis too", async function () {
    const redis = redisUrl() ?? this.skip();
    const found = await commandLineOn(db.url, { REDIS_URL: redis })(["doctor"]);
    expect(found.said).to.match(/^(ok|warning) +Redis: /m);
    const none = await commandLineOn(db.url, { REDIS_URL: "redis://127.0.0.1:1" })(["doctor"]);
    expect(none)
      .to.include({ code: 1 })
      .with.property("said")
      .that.matches(/^failed   Redis: REDIS_URL: cannot connect to Redis/m);
  });
});

/** The row of a reusable link. */
function reusableLink(realmId: number, makerId: number, secrets: ReturnType<typeof secretsOf>) {
  return {
    realmId,
    kind: "multiuse",
    makerId,
    role: 400,
    includeDefaults: true,
    notifyReferrer: false,
    keySealed: Buffer.from(secrets.seal("key")),
    keyDigest: Buffer.from(secrets.digest("key")),
  };
}
