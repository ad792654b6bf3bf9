import {
  addDomain,
  createUser,
  listDomains,
  removeDomain,
  updateDomain,
  updateRealm,
  updateUser,
} from "@carillon/contract";
import {
  announced,
  eventsOf,
  organization,
  type Params,
  realmUpdate,
  type Refusable,
  refused,
  snapshotOf,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Domains of the organization's addresses", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const add = (params: Params, by = org.owner) => gateway.as(by).call(addDomain, { params });
  const update = (domain: string, params: Params, by = org.owner) =>
    gateway.as(by).call(updateDomain, { path: { domain }, params });
  const remove = (domain: string, by = org.owner) =>
    gateway.as(by).call(removeDomain, { path: { domain } });
  const listed = async (by: TestAccount = org.guest) =>
    (await gateway.as(by).succeed(listDomains)).domains;
  const refuses = (work: () => Promise<Refusable>, code = "BAD_REQUEST") => refused(db, work, code);

  it("are added, changed and removed with an event each, and are in the list and the snapshot", async () => {
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      add({ domain: " Example.COM ", allow_subdomains: false }),
    );
    const [id, name] = result.body["new_domain"];
    expect(id).to.be.above(0);
    expect(name).to.equal("example.com");
    const entry = { domain: "example.com", allow_subdomains: false };
    expect(announced(events)).to.deep.equal([
      { type: "realm_domains", op: "add", payload: { realm_domain: entry }, audience: null },
    ]);
    expect(await listed()).to.deep.equal([entry]);
    const snapshot = await snapshotOf(gateway.as(org.guest), ["realm_domains"]);
    expect(snapshot["realm_domains"]).to.deep.equal([entry]);

    const changed = { ...entry, allow_subdomains: true };
    const { events: second } = await eventsOf(db, org.realm.id, () =>
      update("EXAMPLE.com", { allow_subdomains: true }),
    );
    expect(announced(second)).to.deep.equal([
      { type: "realm_domains", op: "change", payload: { realm_domain: changed }, audience: null },
    ]);
    const { events: none } = await eventsOf(db, org.realm.id, () =>
      update("example.com", { allow_subdomains: true }),
    );
    expect(none).to.deep.equal([]);

    const { events: third } = await eventsOf(db, org.realm.id, () => remove("example.com"));
    expect(announced(third)).to.deep.equal([
      { type: "realm_domains", op: "remove", payload: { domain: "example.com" }, audience: null },
    ]);
    expect(await listed()).to.deep.equal([]);
    const audit = await db.prisma.auditLog.findMany({
      where: { realmId: org.realm.id, eventType: { startsWith: "domain_" } },
      orderBy: { id: "asc" },
    });
    expect(audit.map(({ eventType }) => eventType)).to.deep.equal([
      "domain_added",
      "domain_changed",
      "domain_removed",
    ]);
  });

  it("can be changed only by owners", async () => {
    await add({ domain: "example.com", allow_subdomains: false });
    for (const by of [org.admin, org.moderator, org.member, org.guest, org.bot]) {
      await refuses(
        () => add({ domain: "example.org", allow_subdomains: true }, by),
        "UNAUTHORIZED_PRINCIPAL",
      );
      await refuses(
        () => update("example.com", { allow_subdomains: true }, by),
        "UNAUTHORIZED_PRINCIPAL",
      );
      await refuses(() => remove("example.com", by), "UNAUTHORIZED_PRINCIPAL");
    }
  });

  for (const domain of [
    "example..com",
    "",
    "exa mple.com",
    "@x.com",
    "localhost",
    "-a.com",
    "a-.com",
    ".com",
    "example.com.",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(126)}com`,
    "a\u0000.com",
    "münchen.de",
  ])
    it(`refuse ${JSON.stringify(domain).slice(0, 40)}`, () =>
      refuses(() => add({ domain, allow_subdomains: true })));

  it("refuse missing parameters, a domain that is listed already, and unknown domains", async () => {
    await refuses(() => add({ allow_subdomains: true }), "REQUEST_VARIABLE_MISSING");
    await refuses(() => add({ domain: "example.com" }), "REQUEST_VARIABLE_MISSING");
    await add({ domain: "example.com", allow_subdomains: true });
    await refuses(() => update("example.com", {}), "REQUEST_VARIABLE_MISSING");
    await refuses(() => add({ domain: "EXAMPLE.com", allow_subdomains: false }));
    await refuses(() => update("example.org", { allow_subdomains: true }));
    await refuses(() => remove("example.org"));
    const foreign = await organization(db);
    await refuses(() => remove("example.com", foreign.owner));
    await gateway.as(foreign.owner).succeed(addDomain, {
      params: { domain: "example.com", allow_subdomains: true },
    });
  });

  it("are at most 1,000 in an organization", async () => {
    await db.rows(
      `INSERT INTO realm_domains (realm_id, domain, allow_subdomains)
       SELECT $1, 'd' || n || '.example', false FROM generate_series(1, 999) AS n`,
      [org.realm.id],
    );
    expect((await add({ domain: "example.com", allow_subdomains: false })).status).to.equal(200);
    await refuses(() => add({ domain: "example.org", allow_subdomains: false }));
    await remove("d1.example");
    expect((await add({ domain: "example.org", allow_subdomains: false })).status).to.equal(200);
  });

  it("are added once by two requests at the same time", async () => {
    const answers = await Promise.all(
      [1, 2].map(() => add({ domain: "example.com", allow_subdomains: true })),
    );
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    expect(await listed()).to.have.length(1);
  });

  it("restrict addresses no longer once the last one is removed", async () => {
    await add({ domain: "example.com", allow_subdomains: true });
    await add({ domain: "example.org", allow_subdomains: true });
    const params = { emails_restricted_to_domains: true };
    await gateway.as(org.owner).succeed(updateRealm, { params });
    const { events: first } = await eventsOf(db, org.realm.id, () => remove("example.com"));
    expect(announced(first)).to.have.length(1);
    const { events } = await eventsOf(db, org.realm.id, () => remove("example.org"));
    expect(announced(events)).to.deep.include(realmUpdate({ emails_restricted_to_domains: false }));
    const snapshot = await snapshotOf(gateway.as(org.guest), ["realm"]);
    expect(snapshot["realm_emails_restricted_to_domains"]).to.equal(false);
  });

  describe("POST /users", () => {
    const create = (email: string) =>
      gateway.as(org.owner).call(createUser, {
        params: { email, password: "a long enough one: 8wQ!", full_name: unique("Person") },
      });
    const accepts = async (email: string) => expect((await create(email)).status).to.equal(200);
    const change = (params: Params) => gateway.as(org.owner).succeed(updateRealm, { params });

    it("accepts only addresses of the domains, without a +", async () => {
      await add({ domain: "example.com", allow_subdomains: false });
      await add({ domain: "example.org", allow_subdomains: true });
      await accepts("ann@elsewhere.test");
      await add({ domain: "kelvin.example", allow_subdomains: false });
      await change({ emails_restricted_to_domains: true });
      await refuses(() => create("bob@\u212Aelvin.example"));
      await accepts("ann@Example.COM");
      await accepts("ann@example.org");
      await accepts("ann@mail.example.org");
      for (const email of [
        "bob@mail.example.com",
        "bob@notexample.org",
        "bob@elsewhere.test",
        "bob+work@example.com",
        "bob@example.org.evil.test",
        "bob@еxample.org",
        "bob@ｅxample.org",
        "bob@mail.exam\u{1d4c5}le.org",
        "bob@example。org",
      ])
        await refuses(() => create(email));
    });

    it("is restricted, but not an owner's change of an address", async () => {
      await add({ domain: "example.com", allow_subdomains: false });
      await change({ emails_restricted_to_domains: true });
      const person = await user(db, org.realm);
      const answer = await gateway.as(org.owner).call(updateUser, {
        path: { user_id: person.id },
        params: { new_email: "moved+x@elsewhere.test" },
      });
      expect(answer.body.result, answer.body.msg).to.equal("success");
    });

    it("refuses disposable addresses, unless the organization allows them", async () => {
      for (const domain of ["mailinator.com", "Mailinator.com", "sub.mailinator.com"])
        await refuses(() => create(`ann@${domain}`));
      await accepts("ann@my-mailinator.example");
      await change({ disallow_disposable_email_addresses: false });
      await accepts("ann@mailinator.com");
    });

    it("accepts a disposable address of a listed domain", async () => {
      await add({ domain: "mailinator.com", allow_subdomains: false });
      await change({ emails_restricted_to_domains: true });
      await accepts("ann@mailinator.com");
    });
  });
});
