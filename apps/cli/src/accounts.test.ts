import { readFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getOwnUser } from "@carillon/contract";
import { verifyPassword } from "@carillon/domain";
import {
  createTestDatabase,
  organization,
  testSite,
  useDatabase,
  useGateway,
  watch,
  type TestDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn, loginOn } from "./test-support.ts";

describe("carillon organization, account and key", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const site = testSite();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
  });
  after(() => rm(folder, { recursive: true }));
  const run: ReturnType<typeof commandLineOn> = (words, given) =>
    commandLineOn(db.url, { PUBLIC_URL: site.url })(words, given);

  const audit = async (userId: number) =>
    db.rows(
      `SELECT event_type AS type, acting_user_id AS by FROM audit_log WHERE modified_user_id = $1 ORDER BY id DESC LIMIT 1`,
      [userId],
    );

  describe("in a database without organizations", () => {
    let empty: TestDatabase;
    before(async () => {
      empty = await createTestDatabase();
    });
    after(() => empty.drop());

    it("create a first organization, with an owner who can log in and create users, and a second one", async () => {
      const first = commandLineOn(empty.url, { PUBLIC_URL: "https://chat.example" });
      expect(
        (
          await first(
            ["account", "create", "--name", "A", "--email", "a@b.test", "--password-file", "-"],
            { input: "correct horse battery" },
          )
        ).noted,
      ).to.equal("carillon: there is no organization yet");
      // Everything is asked for.
      const made = await first(["organization", "create"], {
        answers: [
          "Bells & Co",
          "Ada Bell",
          "ada@bells.example",
          "correct horse battery",
          "correct horse battery",
        ],
      });
      expect(made).to.include({
        code: 0,
        said: "Created organization Bells & Co at https://chat.example, owner ada@bells.example.",
      });
      const own = await empty.connect();
      const owner = await own.prisma.user.findFirstOrThrow({
        where: { deliveryEmail: "ada@bells.example" },
      });
      expect(owner).to.include({
        role: 100,
        canCreateUsers: true,
        canChangeUserEmails: true,
        fullName: "Ada Bell",
      });
      expect(await verifyPassword("correct horse battery", owner.passwordHash)).to.equal(true);
      // The owner has a message, without which some clients do not start, and a channel.
      expect(await own.prisma.userMessage.count({ where: { userId: owner.id } })).to.equal(1);
      expect(await own.prisma.subscription.count({ where: { userId: owner.id } })).to.equal(1);

      const words = [
        "organization",
        "create",
        "--name",
        "Second",
        "--owner-name",
        "Bo",
        "--owner-email",
        "bo@b.example",
        "--password-file",
        "-",
      ];
      const input = "correct horse battery\n";
      expect((await first(words, { input })).noted).to.equal(
        "carillon: there is already an organization without a subdomain: give the new one a subdomain",
      );
      expect((await first([...words, "--subdomain", "Not one"], { input })).noted).to.match(
        /subdomain must be/,
      );
      expect((await first([...words, "--subdomain", "second"], { input })).said).to.include(
        "https://second.chat.example",
      );
      expect((await first([...words, "--subdomain", "second"], { input })).code).to.equal(1);
      expect((await first(["organization", "list"])).said).to.equal(
        "-  Bells & Co  1 active accounts\nsecond  Second  1 active accounts",
      );
      const unsaid = await first(
        ["account", "create", "--name", "A", "--email", "a@b.test", "--password-file", "-"],
        { input },
      );
      expect(unsaid.noted).to.equal(
        "carillon: there are several organizations: give --organization SUBDOMAIN, or --organization - for the one without a subdomain",
      );

      const add = (organization: string, email: string) =>
        first(
          [
            "account",
            "create",
            "--organization",
            organization,
            "--name",
            "A",
            "--email",
            email,
          ].concat(["--password-file", "-"]),
          { input },
        );
      expect((await add("-", "root@b.test")).said).to.match(/ member of Bells & Co\.$/);
      expect((await add("", "root2@b.test")).said).to.match(/ member of Bells & Co\.$/);
      expect((await first([...words, "--subdomain", "-"], { input })).noted).to.equal(
        "carillon: there is already an organization without a subdomain: give the new one a subdomain",
      );
    });

    it("report that a subdomain needs a host name", async () => {
      const nameless = commandLineOn(empty.url, { PUBLIC_URL: "http://127.0.0.1:9123" });
      const words = ["organization", "create", "--name", "Third", "--subdomain", "third"].concat([
        "--owner-name",
        "Cy",
        "--owner-email",
        "cy@c.example",
        "--password-file",
        "-",
      ]);
      const made = await nameless(words, { input: "correct horse battery\n" });
      expect(made).to.include({
        code: 0,
        said: "Created organization Third, owner cy@c.example.",
      });
      const why =
        "http://127.0.0.1:9123 has no host name, and the subdomain of Third needs one: start the server with a PUBLIC_URL such as http://localhost:9123, and it is at http://third.localhost:9123";
      expect(made.noted).to.equal(`${why}.`);
      const issue = ["key", "issue", "cy@c.example", "--organization", "third", "--zuliprc", "-"];
      expect(await nameless(issue)).to.include({ code: 1, said: "", noted: `carillon: ${why}` });
      const named = commandLineOn(empty.url, { PUBLIC_URL: "http://localhost:9123" });
      expect((await named(issue)).said).to.match(/^site=http:\/\/third\.localhost:9123$/m);
      // Nothing says where this one is.
      expect(
        (
          await commandLineOn(empty.url)([
            "key",
            "issue",
            "root@b.test",
            "--organization",
            "-",
            "--zuliprc",
            "-",
          ])
        ).noted,
      ).to.match(/^PUBLIC_URL is not set: http:\/\/127\.0\.0\.1:9991 is assumed\./);
    });
  });

  it("create accounts of any role, notify clients, and apply the same checks as requests", async () => {
    const { realm, owner } = await organization(db);
    const input = "correct horse battery\n";
    const create = (email: string, name: string, ...more: string[]) =>
      run(
        [
          "account",
          "create",
          "--organization",
          realm.subdomain,
          "--name",
          name,
          "--email",
          email,
          "--password-file",
          "-",
          ...more,
        ],
        { input },
      );
    const received = await watch(gateway, { owner: { account: owner } }, async () => {
      expect((await create("mo@example.test", "Mo", "--role", "moderator")).code).to.equal(0);
    });
    expect(received.owner.map(({ type }) => type)).to.include("realm_user");
    const made = await db.prisma.user.findFirstOrThrow({
      where: { deliveryEmail: "mo@example.test" },
    });
    expect(made.role).to.equal(300);
    expect(await audit(made.id)).to.deep.equal([{ type: "user_created", by: null }]);

    const count = () => db.prisma.user.count();
    const before = await count();
    expect((await create("MO@example.test", "Mo 2")).noted).to.equal(
      "carillon: Another user has this e-mail address",
    );
    expect((await create("nothing", "No")).noted).to.match(/email must be an e-mail address/);
    const weak = await run(
      [
        "account",
        "create",
        "--organization",
        realm.subdomain,
        "--name",
        "W",
        "--email",
        "w@example.test",
        "--password-file",
        "-",
      ],
      { input: "123456" },
    );
    expect(weak)
      .to.include({ code: 1 })
      .with.property("noted")
      .that.matches(/most common/);
    expect(weak.noted).to.not.include("123456");
    expect(
      (
        await run(
          [
            "account",
            "create",
            "--organization",
            "none-such",
            "--name",
            "W",
            "--email",
            "w@example.test",
            "--password-file",
            "-",
          ],
          { input },
        )
      ).noted,
    ).to.match(/no organization with the subdomain "none-such"/);
    expect(await count()).to.equal(before);
  });

  it("show and set the limits of channels, user groups and bots", async () => {
    const { realm } = await organization(db);
    const limits = (...more: string[]) =>
      run(["organization", "limits", "--organization", realm.subdomain, ...more]);
    expect((await limits()).said).to.match(
      /: \d+ of at most 2000 channels\.\n.* of at most 2000 user groups\.\n/,
    );
    const set = await limits("--channels", "5000", "--bots", "0");
    expect(set.said).to.match(
      / of at most 5000 channels\.\n.* at most 2000 .*\n.* at most 0 bots\./,
    );
    expect(
      await db.rows(`SELECT max_channels, max_user_groups, max_bots FROM realms WHERE id = $1`, [
        realm.id,
      ]),
    ).to.deep.equal([{ max_channels: 5_000, max_user_groups: null, max_bots: 0 }]);
    const entries = await db.rows(
      `SELECT acting_user_id AS by, extra_data AS data FROM audit_log
       WHERE realm_id = $1 AND event_type = 'organization_limits_changed'`,
      [realm.id],
    );
    expect(entries).to.deep.equal([{ by: null, data: { channels: 5_000, bots: 0 } }]);
    expect((await limits("--channels", "many")).code).to.equal(2);
  });

  it("reset a password from a file, and keep the API key", async () => {
    const { realm, member, bot } = await organization(db);
    const file = join(folder, "password");
    await writeFile(file, "a wholly new secret\n");
    const words = [
      "account",
      "reset-password",
      member.deliveryEmail.toUpperCase(),
      "--organization",
      realm.subdomain,
    ];
    const reset = await run([...words, "--password-file", file]);
    expect(reset).to.include({ code: 0, said: `Password of ${member.deliveryEmail} changed.` });
    const row = await db.prisma.user.findUniqueOrThrow({ where: { id: member.id } });
    expect(await verifyPassword("a wholly new secret", row.passwordHash)).to.equal(true);
    expect(await audit(member.id)).to.deep.equal([{ type: "user_password_reset", by: null }]);
    await gateway.as(member).succeed(getOwnUser);

    // Typed twice, differently.
    expect((await run(words, { answers: ["one secret of two", "another of two"] })).noted).to.match(
      /entries differ$/,
    );
    expect((await run([...words, "--password-file", join(folder, "none")])).noted).to.match(
      /cannot be read \(ENOENT\)/,
    );
    expect(
      (await run([...words, "--password-file", "-"], { input: "two\nlines\n" })).noted,
    ).to.match(/one line/);
    expect(
      (await run([...words, "--password-file", "-"], { input: "x".repeat(1_000_000) })).noted,
    ).to.match(/at most 4096/);
    const named = (who: string) => [
      "account",
      "reset-password",
      who,
      "--organization",
      realm.subdomain,
      "--password-file",
      file,
    ];
    expect((await run(named(String(bot.id)))).noted).to.equal("carillon: Bots have no password");
    expect((await run(named("nobody@example.test"))).noted).to.match(
      /there is no account nobody@example.test/,
    );
    // An id of somebody in another organization names nobody here.
    const other = await organization(db);
    expect((await run(named(String(other.member.id)))).noted).to.match(/there is no account/);
    const after = await db.prisma.user.findUniqueOrThrow({ where: { id: member.id } });
    expect(after.passwordHash).to.equal(row.passwordHash);
  });

  it("issue a key into a private file, and revoke it", async () => {
    const { realm, member } = await organization(db);
    const file = join(folder, "zuliprc");
    const issue = [
      "key",
      "issue",
      member.deliveryEmail,
      "--organization",
      realm.subdomain,
      "--zuliprc",
      file,
    ];
    const issued = await run(issue);
    expect(issued.code).to.equal(0);
    const text = await readFile(file, "utf8");
    const key = /^key=(\w{32})$/m.exec(text)?.[1] ?? "";
    expect(text).to.match(/^\[api\]\nemail=.+\nkey=\w{32}\nsite=http:\/\/.+carillon\.test\n$/);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    // It is said nowhere else.
    expect(issued.said + issued.noted).to.not.include(key);
    expect((await gateway.as(member).call(getOwnUser)).status).to.equal(401);
    const works = async () =>
      !("refused" in (await loginOn(db, site, { email: member.deliveryEmail, apiKey: key })));
    expect(await works()).to.equal(true);

    // A file that is there is left alone, and so is the key.
    expect((await run(issue)).noted).to.match(/zuliprc already exists$/);
    expect(await works()).to.equal(true);
    // A file that was reserved for nothing is taken away again.
    const none = join(folder, "none");
    expect(
      (
        await run([
          "key",
          "issue",
          "x@y.test",
          "--organization",
          realm.subdomain,
          "--zuliprc",
          none,
        ])
      ).code,
    ).to.equal(1);
    expect(await stat(none).catch(() => undefined)).to.equal(undefined);

    const revoked = await run([
      "key",
      "revoke",
      String(member.id),
      "--organization",
      realm.subdomain,
    ]);
    expect(revoked).to.include({
      code: 0,
      said: `API key of ${member.deliveryEmail} revoked.`,
    });
    expect(await works()).to.equal(false);
    expect(await audit(member.id)).to.deep.equal([{ type: "user_api_key_changed", by: null }]);
    const shown = await run([
      "key",
      "issue",
      member.deliveryEmail,
      "--organization",
      realm.subdomain,
      "--zuliprc",
      "-",
    ]);
    expect(shown.said).to.match(/^key=\w{32}$/m);
  });
});
