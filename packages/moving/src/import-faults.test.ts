import { createHash } from "node:crypto";
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@carillon/db";
import { findOrganization, openOrganization } from "@carillon/domain";
import { realmOfHost } from "@carillon/model";
import {
  channel,
  organization,
  pastMessages,
  scheduledMessage,
  type TestOrganization,
  testFiles,
  testSite,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

import { exportOrganization } from "./export-organization.ts";
import { giveUpImport } from "./give-up-import.ts";
import { importOrganization, type ImportOptions } from "./import-organization.ts";
import { scopeOf } from "./scope.ts";
import { movedTables } from "./tables.ts";
import { newTransferKey, transferKeyOf } from "./transfer-key.ts";

describe("an import that fails", () => {
  const db = useDatabase();
  const other = useDatabase();
  const gateway = useGateway(other);
  const key = transferKeyOf(newTransferKey());
  const site = testSite();
  let parent: string;
  let folder: string;
  let org: TestOrganization;
  let exports = 0;

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), "carillon-faults-"));
    // The organization that answers for unknown host names is the oldest one; an import may be the first.
    await other.rows("SELECT setval(pg_get_serial_sequence('realms', 'id'), 1000)");
    await organization(other, { subdomain: "present" });
    await other.rows("SELECT setval(pg_get_serial_sequence('realms', 'id'), 1)");
    org = await organization(db, { subdomain: "moved", name: "Moved" });
    const room = await channel(db, org.realm, { subscribers: [org.owner, org.member, org.guest] });
    await pastMessages(db, room, org.member, { count: 1200 });
    await scheduledMessage(db, org.member, room);
    folder = await exported();
  });
  after(() => rm(parent, { recursive: true, force: true }));

  async function exported(): Promise<string> {
    const made = join(parent, `export-${exports++}`);
    await exportOrganization({
      databaseUrl: db.url,
      realmId: org.realm.id,
      folder: made,
      url: "http://moved.carillon.test",
      secrets: site.secrets,
      openKey: () => key,
      files: testFiles(),
    });
    return made;
  }

  const options = (more: Partial<ImportOptions> = {}): ImportOptions => ({
    databaseUrl: other.url,
    db: other,
    site,
    folder,
    subdomain: undefined,
    key,
    files: testFiles(),
    ...more,
  });

  /** Returns why an import was refused. */
  async function refusal(given: ImportOptions): Promise<string> {
    const outcome = await importOrganization(given).catch((thrown: Error) => thrown);
    return outcome instanceof Error ? outcome.message : "nothing was refused";
  }

  /** Counts the rows of an organization by table. */
  async function counts(of: Database, realmId: number): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const table of Object.keys(movedTables)) {
      const [row] = await of.rows<{ n: number }>(
        `SELECT count(*)::int AS n FROM "${table}" WHERE ${scopeOf(table).replaceAll("$1", String(realmId))}`,
      );
      found[table] = row?.n ?? 0;
    }
    const [row] = await of.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM user_messages um JOIN users u ON u.id = um.user_id WHERE u.realm_id = ${realmId}`,
    );
    found["user_messages"] = row?.n ?? 0;
    return found;
  }

  const realms = () =>
    other.rows<{ subdomain: string; deactivated: boolean }>(
      "SELECT subdomain, deactivated FROM realms WHERE subdomain <> 'present' ORDER BY id",
    );

  it("goes on after a break at each slice, stores nothing twice, and cannot be reached until it is complete", async () => {
    let breaks = 0;
    for (;;) {
      const progress = () => {
        throw new Error("broken off");
      };
      const outcome = await importOrganization(options({ progress })).catch(
        (error: Error) => error,
      );
      if (!(outcome instanceof Error)) {
        expect(await counts(other, outcome.realmId)).to.deep.equal(await counts(db, org.realm.id));
        break;
      }
      expect(outcome.message).to.equal("broken off");
      breaks++;
      const [realm] = await realms();
      expect(realm).to.deep.equal({ subdomain: realm?.subdomain, deactivated: true });
      expect(realm?.subdomain).to.match(/^\.import-\d+$/);
      expect((await realmOfHost(other, "import-1.carillon.test")).subdomain).to.equal("present");
      if (breaks % 10 === 1)
        expect((await gateway.as(org.owner).get("/api/v1/users/me")).status).to.equal(401);
    }
    expect(breaks).to.be.greaterThan(20);
    expect((await gateway.as(org.owner).get("/api/v1/users/me")).status).to.equal(200);
    expect(await realms()).to.deep.equal([{ subdomain: "moved", deactivated: false }]);
    for (const table of ["import_ids", "import_paths"])
      expect(await other.rows(`SELECT FROM ${table}`)).to.have.length(0);
  });

  it("refuses to import a finished export again, and says what to do", async () => {
    const error = await refusal(options());
    expect(error).to.match(
      /this export was imported at .*, as the organization with the subdomain moved: for another copy, export the organization again/,
    );
  });

  it("refuses to go on with an import that another version has begun, with a step that it lacks", async () => {
    const again = options({ folder: await exported(), subdomain: "later" });
    const progress = () => {
      throw new Error("broken off");
    };
    await importOrganization({ ...again, progress }).catch(() => {});
    await other.rows("UPDATE organization_imports SET step = 'belfries' WHERE subdomain = 'later'");
    expect(await refusal(again)).to.match(
      /another version of Carillon has begun this import.*\(belfries\).*--discard/,
    );
    await giveUpImport(other.url, again);
  });

  it("refuses a subdomain that is taken", async () => {
    const again = options({ folder: await exported() });
    const error = await refusal(again);
    expect(error).to.match(/already an organization with the subdomain moved.*--subdomain NEW/);
    expect(await other.rows("SELECT FROM organization_imports")).to.have.length(1);
  });

  it("refuses to import one export twice at the same time", async () => {
    const again = await exported();
    const twice = await Promise.allSettled([
      importOrganization(options({ folder: again, subdomain: "once" })),
      importOrganization(options({ folder: again, subdomain: "once" })),
    ]);
    const failed = twice.filter(({ status }) => status === "rejected");
    expect(failed).to.have.length(1);
    expect(String((failed[0] as PromiseRejectedResult).reason)).to.match(
      /another process is importing this export/,
    );
    await other.rows("UPDATE realms SET subdomain = 'kept' WHERE subdomain = 'once'");
  });

  it("deletes what was imported when it is given up", async () => {
    const again = options({ folder: await exported(), subdomain: "given-up" });
    const before = await realms();
    let calls = 0;
    const progress = () => {
      if (++calls > 15) throw new Error("broken off");
    };
    await importOrganization({ ...again, progress }).catch(() => {});
    expect(await realms()).to.have.length(before.length + 1);
    const owner = { fullName: "Eve", email: "eve@example.com", password: "correct horse bells" };
    const wanted = { name: "Other", subdomain: "given-up", owner };
    expect(await openOrganization(other, site, wanted).catch(String)).to.match(
      /an organization with the subdomain given-up is being imported/,
    );
    expect(await refusal({ ...again, subdomain: "changed" })).to.match(
      /was begun for an organization with the subdomain given-up/,
    );
    await giveUpImport(other.url, again);
    expect(await realms()).to.deep.equal(before);
    expect(
      await other.rows("SELECT FROM organization_imports WHERE finished_at IS NULL"),
    ).to.have.length(0);
    expect(
      await other.rows(
        "SELECT FROM messages m WHERE NOT EXISTS (SELECT FROM realms r WHERE r.id = m.realm_id)",
      ),
    ).to.have.length(0);
    expect(
      await other.rows(
        "SELECT FROM user_messages um WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = um.user_id)",
      ),
    ).to.have.length(0);
  });

  it("names an unfinished import in the refusal of another one, and deletes it without its export", async () => {
    const lost = options({ folder: await exported(), subdomain: "lost" });
    const progress = () => {
      throw new Error("broken off");
    };
    const before = await realms();
    await importOrganization({ ...lost, progress }).catch(() => {});
    await rm(lost.folder, { recursive: true });
    const error = await refusal(options({ folder: await exported(), subdomain: "lost" }));
    expect(error).to.equal(
      "the import of the organization with the subdomain lost is unfinished: run carillon organization import with its folder again, or delete what it has stored with carillon organization import --discard --subdomain lost; or give this one another label, --subdomain NEW",
    );
    const discard = (subdomain: string) =>
      giveUpImport(other.url, { subdomain }).then(
        () => "deleted",
        (thrown: Error) => thrown.message,
      );
    expect(await discard("loss")).to.equal(
      "there is no unfinished import of an organization with the subdomain loss; unfinished are: lost",
    );
    expect(await discard("lost")).to.equal("deleted");
    expect(await discard("lost")).to.match(/^there is no unfinished import of an organization/);
    expect(await realms()).to.deep.equal(before);
  });

  it("lets operators do nothing with an organization before its import is complete", async () => {
    const again = options({ folder: await exported(), subdomain: "early" });
    let calls = 0;
    const progress = () => {
      if (++calls > 5) throw new Error("broken off");
    };
    await importOrganization({ ...again, progress }).catch(() => {});
    const [row] = await other.rows<{ subdomain: string }>(
      "SELECT subdomain FROM realms WHERE subdomain LIKE '.import-%'",
    );
    for (const name of [row?.subdomain, "early"]) {
      const outcome = await findOrganization(other, name).catch((thrown: Error) => thrown.message);
      expect(outcome).to.equal(
        "the import of the organization with the subdomain early is unfinished: run carillon organization import with its folder again, or delete what it has stored with carillon organization import --discard --subdomain early",
      );
    }
    await giveUpImport(other.url, again);
  });

  it("refuses another key than that of the export before it begins", async () => {
    const again = options({
      folder: await exported(),
      subdomain: "x",
      key: transferKeyOf("another"),
    });
    const error = await refusal(again);
    expect(error).to.match(/the key is not that of this export/);
    const without = await refusal({ ...again, key: undefined });
    expect(without).to.match(/give the file with its key, --key-file FILE/);
    expect(
      await other.rows("SELECT FROM organization_imports WHERE finished_at IS NULL"),
    ).to.have.length(0);
  });

  /** Changes the lines of a table in a copy of the export, and its manifest with them. */
  async function changed(table: string, change: (lines: string[]) => string[]): Promise<string> {
    const made = join(parent, `changed-${exports++}`);
    await cp(folder, made, { recursive: true });
    const file = join(made, `${table}.ndjson`);
    const lines = change((await readFile(file, "utf8")).split("\n").slice(0, -1));
    const text = lines.map((line) => `${line}\n`).join("");
    await writeFile(file, text);
    const path = join(made, "manifest.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    const described = manifest.records.find(
      (one: { file: string }) => one.file === `${table}.ndjson`,
    );
    Object.assign(described, {
      count: lines.length,
      bytes: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
    });
    await writeFile(path, JSON.stringify(manifest));
    return made;
  }

  const record = (line: string, more: object) => JSON.stringify({ ...JSON.parse(line), ...more });
  const last = (lines: string[], more: object) => [
    ...lines.slice(0, -1),
    record(lines.at(-1) ?? "", more),
  ];
  const sha256 = "0".repeat(64);
  /** A text that PostgreSQL cannot compress. */
  const incompressible = (length: number) =>
    createHash("shake256", { outputLength: length }).update("x").digest("base64").slice(0, length);
  const salt = Buffer.alloc(16).toString("base64");
  const hashed = Buffer.alloc(32).toString("base64");
  const linkifier = (id: number, pattern: string) =>
    JSON.stringify({ id, pattern, url_template: "https://example.com/", order: id });

  for (const [what, table, change, problem] of [
    [
      "a message of an account that the export does not have",
      "messages",
      (lines) => last(lines, { sender_id: 1_000_000 }),
      /^messages.ndjson, line \d+: sender_id: the export has no record 1000000/,
    ],
    [
      "a message for a conversation of another organization",
      "messages",
      (lines) => last(lines, { recipient_id: 1 << 30 }),
      /^messages.ndjson, line \d+: recipient_id: the export has no record/,
    ],
    [
      "a message of the future",
      "messages",
      (lines) => last(lines, { sent_at: "2100-01-01T00:00:00Z" }),
      /^messages.ndjson, line \d+: sent_at: 2100-01-01T00:00:00Z is in the future/,
    ],
    [
      "a copy for an unknown account",
      "messages",
      (lines) => last(lines, { copies: [[1_000_000, 1]] }),
      /^messages.ndjson, line \d+: the export has no record 1000000 of users/,
    ],
    [
      "messages that are not in order",
      "messages",
      (lines) => [...lines, lines[0] ?? ""],
      /^messages.ndjson, line \d+: id: \d+ is not higher/,
    ],
    [
      "an account that is there twice",
      "users",
      (lines) => [...lines, lines.at(-1) ?? ""],
      /^users.ndjson, line \d+: has an id that another record has/,
    ],
    [
      "a channel that is there a thousand times",
      "channels",
      (lines) => Array.from({ length: 1000 }, () => lines[0] ?? ""),
      /^channels.ndjson, line 1: has an id that another record has/,
    ],
    [
      "a column that does not exist",
      "users",
      (lines) => last(lines, { 'x"; DROP TABLE users; --': 1 }),
      /^users.ndjson, line \d+.*has no column/,
    ],
    [
      "a value that PostgreSQL does not take",
      "channels",
      (lines) => last(lines, { message_retention_days: "many" }),
      /^channels.ndjson, line \d+: invalid input syntax/,
    ],
    [
      "a group that calls itself a system group",
      "named_user_group",
      (lines) => [...lines, JSON.stringify({ id: 999_999, name: "role:boss" })],
      /^named_user_group.ndjson, line \d+.*is the name of a system group/,
    ],
    [
      "a setting that an owner could not make",
      "realms",
      (lines) => last(lines, { topics_policy: "x" }),
      /^realms.ndjson, line 1: topics_policy: must be/,
    ],
    [
      "a permission of a group that is not in the export",
      "realms",
      (lines) => last(lines, { can_create_groups_id: 999_999 }),
      /^realms.ndjson, line 1: can_create_groups_id: the export has no record 999999/,
    ],
    [
      "a waiting period of millions of years",
      "realms",
      (lines) => last(lines, { waiting_period_threshold: 2_000_000_000 }),
      /^realms.ndjson, line 1: .*out of range/,
    ],
    [
      "an account with the address of a system bot",
      "users",
      (lines) =>
        last(lines, { delivery_email: `Notification-bot@hostile.${new URL(site.url).hostname}` }),
      /^users.ndjson, line \d+: delivery_email: .* is the address of a system bot/,
    ],
    [
      "a secret that was not sealed with the key",
      "users",
      (lines) => last(lines, { api_key_sealed: "AAAA" }),
      /^users.ndjson, line \d+: api_key_sealed: was not sealed with the key/,
    ],
    [
      "a value of 100,000 levels",
      "users",
      (lines) => [
        ...lines.slice(0, -1),
        `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},${(lines.at(-1) ?? "").slice(1)}`,
      ],
      /^users.ndjson, line \d+: has more than 100 levels of lists and objects/,
    ],
    [
      "a fragment that does not fit into an index",
      "navigation_views",
      () => [
        JSON.stringify({
          id: 1,
          user_id: org.owner.id,
          fragment: incompressible(20_000),
          name: null,
          is_pinned: false,
        }),
      ],
      /^navigation_views.ndjson, line 1: index row/,
    ],
    [
      "a password hash that would take half an hour to verify",
      "users",
      (lines) => last(lines, { password_hash: `scrypt$32768$8$30000$${salt}$${hashed}` }),
      /^users.ndjson, line \d+: password_hash: is not a hash that a server of this version makes/,
    ],
    [
      "a password hash with an empty key, which every password fits",
      "users",
      (lines) => last(lines, { password_hash: `scrypt$32768$8$1$${salt}$` }),
      /^users.ndjson, line \d+: password_hash: is not a hash/,
    ],
    [
      "a linkifier that an administrator could not create",
      "linkifiers",
      () => [linkifier(1, "a".repeat(251))],
      /^linkifiers.ndjson, line 1: pattern must not have more than 250 characters/,
    ],
    [
      "a text of a megabyte",
      "navigation_views",
      () => [JSON.stringify({ id: 1, user_id: 1, name: "x".repeat(2 ** 20), fragment: "inbox" })],
      /^navigation_views.ndjson, line 1: name: has more than 100000 characters/,
    ],
    [
      "a picture with a path that leads elsewhere",
      "pictures",
      () => [JSON.stringify({ path: "1/../2/x.png", content_type: "image/png", size: 0, sha256 })],
      /^(?:pictures.ndjson, line 1|files\/0+)/,
    ],
    [
      "a file that is not there",
      "attachments",
      () => [
        JSON.stringify({
          id: 1,
          owner_id: 1,
          path_id: "../../etc/passwd",
          name: "../../x",
          size: 3,
          sha256,
        }),
      ],
      /^files\/0+: cannot be read \(ENOENT\)$/,
    ],
    [
      "a table that is not imported",
      "linkifiers",
      (lines) => lines,
      /^job_intent.ndjson: is of no table that is imported$/,
    ],
  ] as ReadonlyArray<readonly [string, string, (lines: string[]) => string[], RegExp]>)
    it(`refuses ${what}, and leaves nothing behind`, async () => {
      const made = await changed(table, change);
      if (what === "a table that is not imported") {
        const path = join(made, "manifest.json");
        await appendFile(join(made, "job_intent.ndjson"), "");
        await writeFile(
          path,
          (await readFile(path, "utf8")).replace("linkifiers.ndjson", "job_intent.ndjson"),
        );
      }
      const before = await realms();
      const steps = new Set<string>();
      const progress = (step: string) => steps.add(step);
      const error = await refusal(options({ folder: made, subdomain: "hostile", progress }));
      expect(error).to.match(problem);
      if (table === "realms" || table === "users") expect(steps).not.to.include("messages");
      expect(await realms()).to.deep.equal(before);
      expect(
        await other.rows("SELECT FROM organization_imports WHERE finished_at IS NULL"),
      ).to.have.length(0);
      expect(
        await other.rows(
          "SELECT FROM messages m WHERE NOT EXISTS (SELECT FROM realms r WHERE r.id = m.realm_id)",
        ),
      ).to.have.length(0);
    });
});
