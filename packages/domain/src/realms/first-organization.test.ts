import { createTestDatabase, testSite, type TestDatabase } from "@carillon/testkit";
import { systemGroups } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { expect } from "chai";

import { authenticate, keyHolders } from "../users/authenticate.ts";
import { verifyPassword } from "../users/passwords.ts";
import { createFirstOrganization, type FirstAccount } from "./first-organization.ts";

describe("The first organization", () => {
  const site = testSite();
  let database: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = await database.connect();
  });
  afterEach(() => database.drop());

  const holderOf = async (digest: Uint8Array) => (await keyHolders(db, [digest]))[0];

  it("has an account of every role and a bot, all subscribed to its one channel", async () => {
    const { created, accounts, channelId } = await createFirstOrganization(db, site, {
      demo: true,
    });
    expect(created).to.equal(true);
    expect(accounts.map(({ name, email }) => [name, email])).to.deep.equal(
      ["owner", "admin", "moderator", "member", "guest", "bot"].map((name) => [
        name,
        `${name}@carillon.test`,
      ]),
    );
    const roles = [];
    for (const { email, apiKey, password } of accounts) {
      const account = await authenticate(holderOf, site, { email, apiKey });
      if ("refused" in account) throw new Error(account.refused);
      roles.push(account.role);
      const row = await db.prisma.user.findUniqueOrThrow({ where: { id: account.id } });
      if (password !== null)
        expect(await verifyPassword(password, row.passwordHash)).to.equal(true);
      expect(account.canCreateUsers && account.canChangeUserEmails).to.equal(account.role === 100);
      if (account.isBot) expect(account.botOwnerId).to.equal(row.botOwnerId).and.be.a("number");
    }
    expect(roles).to.deep.equal([100, 200, 300, 400, 600, 400]);
    const channels = await db.prisma.channel.findMany({ include: { defaultChannel: true } });
    expect(channels).to.have.length(1);
    expect(channels[0]).to.include({ id: channelId, name: "general", subscriberCount: 6 });
    expect(channels[0]?.defaultChannel).to.deep.equal({ channelId });
    const realm = await db.prisma.realm.findFirstOrThrow();
    expect(realm).to.include({ name: "Carillon Demo", subdomain: "" });
  });

  it("has the system groups in order, each containing the one before, and its system bots in none", async () => {
    await createFirstOrganization(db, site, { demo: true });
    const groups = await db.prisma.namedUserGroup.findMany({
      orderBy: { id: "asc" },
      include: { group: { include: { subgroups: true, members: true } } },
    });
    expect(groups.map(({ name }) => name)).to.deep.equal(systemGroups.map(({ name }) => name));
    const ids = new Map(groups.map(({ name, id }) => [name, id]));
    for (const [i, { name, subgroup }] of systemGroups.entries()) {
      const found = groups[i]?.group.subgroups.map(({ subgroupId }) => subgroupId);
      expect(found, name).to.deep.equal(subgroup ? [ids.get(subgroup)] : []);
      expect(groups[i]?.canManageGroupId).to.equal(ids.get("role:nobody"));
    }
    expect(groups.map(({ group }) => group.members.length)).to.deep.equal([0, 1, 1, 1, 2, 2, 1, 0]);
    const bots = await db.prisma.user.findMany({ where: { systemBotKind: { not: null } } });
    expect(bots.map(({ systemBotKind }) => systemBotKind)).to.have.members([
      "notification",
      "scheduling",
      "welcome",
    ]);
    for (const { id } of bots)
      expect(await db.prisma.userGroupMember.count({ where: { userId: id } })).to.equal(0);
  });

  for (const demo of [true, false]) {
    it(`welcomes its people, ${demo ? "not its bots" : "if only the owner"}`, async () => {
      await createFirstOrganization(db, site, { demo });
      const received = await db.rows(
        `SELECT u.role, u.is_bot, sender.system_bot_kind AS by FROM user_messages um
         JOIN users u ON u.id = um.user_id AND u.system_bot_kind IS NULL
         JOIN messages m ON m.id = um.message_id JOIN users sender ON sender.id = m.sender_id
         ORDER BY u.role`,
      );
      const roles = demo ? [100, 200, 300, 400, 600] : [100];
      expect(received).to.deep.equal(roles.map((role) => ({ role, is_bot: false, by: "welcome" })));
    });
  }

  it("has only the owner if no demo is requested", async () => {
    const { accounts } = await createFirstOrganization(db, site, { demo: false });
    expect(accounts.map(({ name }) => name)).to.deep.equal(["owner"]);
    expect(await db.prisma.user.count({ where: { systemBotKind: null } })).to.equal(1);
  });

  it("gives the accounts predefined credentials", async () => {
    const owner: FirstAccount = {
      name: "owner",
      fullName: "Known Owner",
      email: "known@carillon.test",
      password: "known password",
      apiKey: "k".repeat(32),
    };
    await createFirstOrganization(db, site, { demo: true, accounts: [owner] });
    const account = await authenticate(holderOf, site, {
      email: owner.email,
      apiKey: owner.apiKey,
    });
    expect(account).to.include({ fullName: "Known Owner", role: 100 });
  });

  it("is created once however many processes try, and never in a database that has one", async () => {
    const attempts = await Promise.all(
      [1, 2, 3].map(() => createFirstOrganization(db, site, { demo: true })),
    );
    expect(attempts.filter(({ created }) => created)).to.have.length(1);
    const again = await createFirstOrganization(db, site, { demo: true });
    expect(again).to.deep.equal({ created: false, accounts: [], channelId: 0 });
    expect(await db.prisma.realm.count()).to.equal(1);
  });
});
