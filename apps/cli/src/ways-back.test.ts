import { getOwnUser, listDomains, updateRealm } from "@carillon/contract";
import { sendMail } from "@carillon/jobs";
import {
  bot,
  organization,
  pendingPayloads,
  type TestOrganization,
  testSite,
  useDatabase,
  useGateway,
  user,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "./test-support.ts";

describe("carillon organization and account, when people have locked themselves out", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });
  const run = (...words: readonly string[]) =>
    commandLineOn(db.url, { PUBLIC_URL: testSite().url })([
      ...words,
      "--organization",
      org.realm.subdomain,
    ]);
  const audited = async (type: string) =>
    (
      await db.prisma.auditLog.findMany({
        where: { realmId: org.realm.id, eventType: type },
        orderBy: { id: "asc" },
      })
    ).map(({ actingUserId, modifiedUserId }) => ({ by: actingUserId, of: modifiedUserId }));

  it("deactivate an organization and reactivate it, once each", async () => {
    const { name } = org.realm;
    expect(await run("organization", "deactivate")).to.include({
      code: 0,
      said: `${name} is deactivated.`,
    });
    expect((await run("organization", "deactivate")).said).to.equal(
      `${name} is deactivated already.`,
    );
    const { said } = await commandLineOn(db.url)(["organization", "list"]);
    expect(said).to.match(/  deactivated$/);
    expect((await gateway.as(org.member).call(getOwnUser)).status).to.equal(401);
    expect(await pendingPayloads(db, sendMail)).to.deep.equal([
      { kind: "organization-deactivated", userId: org.owner.id, actorId: null },
    ]);
    expect(await audited("realm_deactivated")).to.deep.equal([{ by: null, of: null }]);

    expect((await run("organization", "reactivate")).said).to.equal(`${name} is active.`);
    expect((await run("organization", "reactivate")).said).to.equal(`${name} is active already.`);
    await gateway.as(org.member).succeed(getOwnUser);
    expect(await audited("realm_reactivated")).to.deep.equal([{ by: null, of: null }]);
  });

  it("turn a method of logging in on again, and notify clients", async () => {
    const { name } = org.realm;
    await db.prisma.realm.update({
      where: { id: org.realm.id },
      data: { passwordAuthEnabled: false },
    });
    expect((await run("organization", "authentication")).said).to.include(
      `Email is off in ${name}.`,
    );
    const { member } = await watch(gateway, { member: { account: org.member } }, async () => {
      const enabled = await run("organization", "authentication", "--enable", "email");
      expect(enabled.said).to.include(`Email is on in ${name}.`);
    });
    expect(member.map(({ type }) => type)).to.include("realm");
    expect(await audited("realm_setting_changed")).to.deep.include({ by: null, of: null });
    const changes = await audited("realm_setting_changed");
    await run("organization", "authentication", "--enable", "email");
    expect(await audited("realm_setting_changed"), "no second change").to.deep.equal(changes);
    const unknown = await run("organization", "authentication", "--enable", "telepathy");
    expect(unknown).to.include({ code: 1 });
    expect(unknown.noted).to.match(/this server offers no method "telepathy", but only Email/);
  });

  it("replace a wrong domain", async () => {
    const { name } = org.realm;
    const added = await run(
      "organization",
      "domains",
      "--add",
      " Exmaple.COM",
      "--with-subdomains",
    );
    expect(added.said).to.equal(
      `exmaple.com and its subdomains\nNew accounts of ${name} may have addresses of all domains.`,
    );
    await gateway.as(org.owner).succeed(updateRealm, {
      params: { emails_restricted_to_domains: "true" },
    });
    const { member } = await watch(gateway, { member: { account: org.member } }, async () => {
      const replaced = await run(
        "organization",
        "domains",
        "--add",
        "example.com",
        "--remove",
        "exmaple.com",
      );
      expect(replaced.said).to.equal(
        `example.com\nNew accounts of ${name} need an address of one of these domains.`,
      );
    });
    expect(member.map(({ type, op }) => `${type} ${op}`)).to.deep.equal([
      "realm_domains add",
      "realm_domains remove",
    ]);
    expect((await gateway.as(org.member).succeed(listDomains)).domains).to.deep.equal([
      { domain: "example.com", allow_subdomains: false },
    ]);
    const refused = await run(
      "organization",
      "domains",
      "--add",
      "other.example",
      "--remove",
      "exmaple.com",
    );
    expect(refused.noted).to.equal("carillon: There is no such domain in the list");
    expect(await run("organization", "domains", "--add", "localhost")).to.include({ code: 2 });
    expect((await run("organization", "domains", "--unrestrict")).said).to.equal(
      `example.com\nNew accounts of ${name} may have addresses of all domains.`,
    );
  });

  it("give an organization an owner, but no bot, guest or deactivated account", async () => {
    const makeOwner = (account: { readonly deliveryEmail: string }) =>
      run("account", "make-owner", account.deliveryEmail);
    const heir = await user(db, org.realm);
    const { watcher } = await watch(gateway, { watcher: { account: org.member } }, async () => {
      expect((await makeOwner(heir)).said).to.match(/ is an owner of .*[^y]\.$/);
    });
    expect(watcher.map(({ type }) => type)).to.include("realm_user");
    expect((await makeOwner(heir)).said).to.match(/ already\.$/);
    await gateway.as(heir).succeed(updateRealm, { params: { waiting_period_threshold: "1" } });
    expect(await audited("user_role_changed")).to.deep.equal([{ by: null, of: heir.id }]);

    const gone = await user(db, org.realm, { isActive: false });
    for (const [account, why] of [
      [org.guest, /is a guest/],
      [await bot(db, org.owner), /a bot cannot/],
      [gone, /is deactivated: reactivate it first/],
    ] as const)
      expect((await makeOwner(account)).noted).to.match(why);
  });

  it("reactivate a person, but no bot", async () => {
    const gone = await user(db, org.realm, { isActive: false });
    const reactivate = (account: { readonly deliveryEmail: string }) =>
      run("account", "reactivate", account.deliveryEmail);
    expect((await reactivate(gone)).said).to.match(/ is active\.$/);
    expect((await reactivate(gone)).said).to.match(/ is active already\.$/);
    await gateway.as(gone).succeed(getOwnUser);
    expect(await audited("user_reactivated")).to.deep.equal([{ by: null, of: gone.id }]);
    expect((await reactivate(await bot(db, org.owner))).noted).to.match(/has to reactivate bots/);
  });
});
