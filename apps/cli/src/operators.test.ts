import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getOwnUser } from "@carillon/contract";
import {
  bot,
  organization,
  refused,
  reload,
  startMailServer,
  testSite,
  useDatabase,
  useGateway,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { commandLineOn } from "./test-support.ts";

describe("carillon account list, account deactivate and audit", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const run: ReturnType<typeof commandLineOn> = (words, given) =>
    commandLineOn(db.url, { PUBLIC_URL: testSite().url })(words, given);
  const linesOf = (said: string) =>
    said.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

  it("list people and bots of one organization, deactivated ones too", async () => {
    const org = await organization(db);
    await organization(db);
    const gone = await user(db, org.realm, { isActive: false });
    const where = ["--organization", org.realm.subdomain];
    const { code, said } = await run(["account", "list", ...where, "--json"]);
    expect(code).to.equal(0);
    const listed = linesOf(said);
    const ids = await db.prisma.user.findMany({
      where: { realmId: org.realm.id, systemBotKind: null },
      orderBy: { id: "asc" },
    });
    expect(listed.map(({ id }) => id)).to.deep.equal(ids.map(({ id }) => id));
    const of = (id: number) => listed.find((line) => line["id"] === id);
    expect(of(gone.id)).to.include({ active: false, bot: false, role: "member", owner: null });
    expect(of(org.owner.id)).to.include({ role: "owner", email: org.owner.deliveryEmail });
    expect(of(org.bot.id)).to.include({ bot: true });
    const text = (await run(["account", "list", ...where])).said;
    expect(text).to.include(
      `${gone.id}  ${gone.deliveryEmail}  ${gone.fullName}  member  deactivated`,
    );
    expect(text).to.match(new RegExp(`^${org.bot.id}  .+  bot of .+@.+, member$`, "m"));
  });

  it("deactivate a person with their bots as requests do: keys are refused, clients are notified", async () => {
    const org = await organization(db);
    const theirs = await bot(db, org.member);
    const foreign = await bot(db, org.admin);
    const words = ["account", "deactivate", org.member.deliveryEmail];
    const where = ["--organization", org.realm.subdomain];
    const received = await watch(gateway, { owner: { account: org.owner } }, async () => {
      const { code, said } = await run([...words, ...where]);
      expect(code).to.equal(0);
      expect(said).to.match(/^Deactivated .*: the API key is refused from now on\.$/);
    });
    expect(received.owner.filter(({ type }) => type === "realm_user")).to.have.length(
      (await reload(db, org.bot)).botOwnerId === org.member.id ? 3 : 2,
    );
    for (const account of [org.member, theirs]) {
      expect((await reload(db, account)).isActive).to.equal(false);
      await refused(db, () => gateway.as(account).call(getOwnUser), "UNAUTHORIZED");
    }
    expect((await reload(db, foreign)).isActive).to.equal(true);
    const again = await run([...words, ...where]);
    expect(again).to.include({
      code: 1,
      noted: `carillon: ${org.member.deliveryEmail} is deactivated already`,
    });
    expect((await run(["account", "deactivate", String(foreign.id), ...where])).code).to.equal(0);
    expect((await reload(db, foreign)).isActive).to.equal(false);
    expect((await reload(db, org.admin)).isActive).to.equal(true);
  });

  it("refuse to deactivate the last owner, and an unknown account", async () => {
    const org = await organization(db);
    const where = ["--organization", org.realm.subdomain];
    const last = await run(["account", "deactivate", org.owner.deliveryEmail, ...where]);
    expect(last.code).to.equal(1);
    expect(last.noted).to.match(/^carillon: .*owner/);
    expect((await reload(db, org.owner)).isActive).to.equal(true);
    const none = await run(["account", "deactivate", "nobody@example.test", ...where]);
    expect(none).to.include({ code: 1 });
    const other = await organization(db);
    const elsewhere = await run(["account", "deactivate", other.member.deliveryEmail, ...where]);
    expect(elsewhere.noted).to.match(/there is no account .+ in the organization/);
    expect((await reload(db, other.member)).isActive).to.equal(true);
  });

  it("show the audit log by organization, account, kind and time, as text and as JSON", async () => {
    const org = await organization(db);
    const other = await organization(db);
    const where = ["--organization", org.realm.subdomain];
    const input = "correct horse battery\n";
    for (const { realm, member } of [org, other])
      await run(
        ["account", "reset-password", member.deliveryEmail, "--password-file", "-"].concat([
          "--organization",
          realm.subdomain,
        ]),
        { input },
      );
    await run(["key", "revoke", org.guest.deliveryEmail, ...where]);
    await db.rows(
      `INSERT INTO audit_log (realm_id, acting_user_id, event_type, event_time, extra_data)
        VALUES ($1, $2, 'long_ago', now() - interval '40 days', '{"why": "test"}')`,
      [org.realm.id, org.owner.id],
    );
    const kinds = async (...more: string[]) =>
      linesOf((await run(["audit", "--json", ...more])).said).map(({ type }) => type);
    expect(await kinds(...where)).to.include.members(["user_password_reset", "long_ago"]);
    expect(await kinds(...where, "--kind", "user_password_reset")).to.deep.equal([
      "user_password_reset",
    ]);
    expect(await kinds("--account", org.guest.deliveryEmail, "--since", "1h")).to.deep.equal([
      "user_api_key_changed",
      "user_created",
    ]);
    expect(await kinds(...where, "--until", "30d")).to.deep.equal(["long_ago"]);
    expect(await kinds(...where, "--since", "2100-01-01").catch(() => "none")).to.equal("none");

    const text = await run(["audit", ...where, "--kind", "long_ago"]);
    expect(text.said).to.match(
      new RegExp(
        `^\\d{4}-\\d\\d-\\S+Z  .+  long_ago  by ${org.owner.deliveryEmail}  {"why":"test"}$`,
      ),
    );
    const one = await run(["audit", ...where, "--limit", "1"]);
    expect(one.said.split("\n")).to.have.length(1);
    expect(one.noted).to.equal("More entries exist: raise --limit (1).");
    expect(await run(["audit", "--since", "yesterday"])).to.include({ code: 2 });
    for (const limit of ["0", "10001", "many"])
      expect((await run(["audit", "--limit", limit])).code, limit).to.equal(2);
    expect((await run(["audit", "--limit", "10000"])).code).to.equal(0);
    expect((await run(["audit", "--account", "nobody@example.test"])).noted).to.match(
      /there is no account nobody@example\.test$/,
    );
  });
});

describe("carillon mail test and doctor", () => {
  const db = useDatabase();

  const mailOf = async (variables: Record<string, string>) => {
    const { said } = await commandLineOn(db.url, variables)(["doctor", "--json"]);
    return (JSON.parse(said) as { what: string; state: string; text: string }[]).find(
      ({ what }) => what === "mail",
    );
  };

  it("log in at the mail server, and report why that fails", async () => {
    const server = await startMailServer();
    try {
      expect(await mailOf({ SMTP_URL: server.url })).to.include({ state: "ok" });
      expect(server.received).to.deep.equal([]);
      const { code, said } = await commandLineOn(undefined, { SMTP_URL: server.url })([
        "mail",
        "test",
        "ada@example.com",
      ]);
      expect(code).to.equal(0);
      expect(said).to.include("has accepted a mail to ada@example.com");
      expect(server.received.map(({ to }) => to)).to.deep.equal([["ada@example.com"]]);
    } finally {
      await server.close();
    }
    const gone = await mailOf({ SMTP_URL: server.url });
    expect(gone).to.include({ state: "failed" });
    expect(gone?.text).to.match(/^SMTP_URL: .+ECONNREFUSED.+is the port right/);
    const sent = await commandLineOn(undefined, { SMTP_URL: server.url })([
      "mail",
      "test",
      "ada@example.com",
    ]);
    expect(sent.code).to.equal(1);
    expect(sent.noted).to.match(/^carillon: SMTP_URL: .+ECONNREFUSED/);
    const nonsense = await commandLineOn(undefined)(["mail", "test", "nobody"]);
    expect(nonsense.code).to.equal(1);
  });

  it("time out on a silent mail server", async function () {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    try {
      const { port } = silent.address() as AddressInfo;
      const found = await mailOf({ SMTP_URL: `smtp://127.0.0.1:${port}` });
      expect(found).to.include({ state: "failed" });
      expect(found?.text).to.match(/did not answer in time/);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  it("write a mail to a file without a mail server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "carillon-cli-"));
    try {
      const run = commandLineOn(undefined, { DATA_DIR: folder });
      const { code, said } = await run(["mail", "test", "ada@example.com"]);
      expect(code).to.equal(0);
      expect(said).to.match(/SMTP_URL is not set: the mail .+ was written, as files in /);
      const [name = ""] = await readdir(join(folder, "mail"));
      expect(await readFile(join(folder, "mail", name), "utf8")).to.include("To: ada@example.com");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
