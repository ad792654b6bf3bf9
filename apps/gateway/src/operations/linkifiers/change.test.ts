import {
  createLinkifier,
  listLinkifiers,
  maxLinkifiers,
  removeLinkifier,
  reorderLinkifiers,
  updateLinkifier,
} from "@carillon/contract";
import {
  changesOf,
  countQueries,
  organization,
  type Params,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  type Refusable,
  withEvents,
} from "@carillon/testkit";
import { expect } from "chai";

const url_template = "https://t.example/{id}";
const tickets = { pattern: "#(?P<id>[0-9]+)", url_template };
const bugs = { pattern: "BUG-(?P<id>[0-9]+)", url_template: "https://b.example/?q={id}" };

describe("Linkifiers", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const create = (params: Params, by: TestAccount = org.admin) =>
    gateway.as(by).call(createLinkifier, { params });
  const made = async (params: Params) =>
    (await gateway.as(org.admin).succeed(createLinkifier, { params })).id;
  const update = (filter_id: number | undefined, params: Params, by: TestAccount = org.admin) =>
    gateway.as(by).call(updateLinkifier, { path: { filter_id: filter_id ?? 0 }, params });
  const remove = (filter_id: number | undefined, by: TestAccount = org.admin) =>
    gateway.as(by).call(removeLinkifier, { path: { filter_id: filter_id ?? 0 } });
  const reorder = (ordered_linkifier_ids: unknown, by: TestAccount = org.admin) =>
    gateway.as(by).call(reorderLinkifiers, { params: { ordered_linkifier_ids } });
  const listed = async (by: TestAccount = org.guest) =>
    (await gateway.as(by).succeed(listLinkifiers)).linkifiers;

  /** The events and audit entries of a change, without the rows. */
  async function change(work: () => Promise<Refusable>) {
    const before = await db.prisma.auditLog.count();
    const { received } = await withEvents(db, org.admin, work);
    const audits = await db.prisma.auditLog.findMany({ skip: before, orderBy: { id: "asc" } });
    return {
      received: received.map(({ type, audience, payload }) => {
        expect([type, audience]).to.deep.equal(["realm_linkifiers", null]);
        return payload["realm_linkifiers"];
      }),
      audited: audits.map(({ eventType, extraData }) => [eventType, extraData]),
    };
  }

  it("are created at the end of the order, with all linkifiers sent to all accounts", async () => {
    expect(await listed()).to.deep.equal([]);
    const first = await made(bugs);
    const { received, audited } = await change(() => create(tickets));
    const all = await listed();
    expect(all).to.deep.equal([
      { id: first, ...bugs },
      { id: all[1]?.id, ...tickets },
    ]);
    expect(received).to.deep.equal([all]);
    const { pattern } = tickets;
    expect(audited).to.deep.equal([
      ["linkifier_created", { linkifier_id: all[1]?.id, pattern, urlTemplate: url_template }],
    ]);
    for (const by of [org.owner, org.member, org.bot]) expect(await listed(by)).to.deep.equal(all);
    expect(await listed((await organization(db)).owner)).to.deep.equal([]);
  });

  it("are changed in place", async () => {
    const [a, b] = [await made(tickets), await made(bugs)];
    const wanted = { pattern: "T(?P<id>.)", url_template: "https://c.example/{id}" };
    const { received, audited } = await change(() => update(a, wanted));
    const all = [
      { id: a, ...wanted },
      { id: b, ...bugs },
    ];
    expect(await listed()).to.deep.equal(all);
    expect(received).to.deep.equal([all]);
    expect(audited).to.deep.equal([
      [
        "linkifier_changed",
        {
          linkifier_id: a,
          old: { pattern: tickets.pattern, urlTemplate: url_template },
          new: { pattern: wanted.pattern, urlTemplate: wanted.url_template },
        },
      ],
    ]);
    // Its own pattern is not a duplicate; an unchanged value writes neither row nor event.
    expect((await update(b, { ...bugs, url_template })).status).to.equal(200);
    const { result, tables } = await changesOf(db, () => update(b, { ...bugs, url_template }));
    expect([result.status, tables]).to.deep.equal([200, []]);
  });

  it("are removed once", async () => {
    const [a, b] = [await made(tickets), await made(bugs)];
    const { received, audited } = await change(() => remove(a));
    expect(received).to.deep.equal([[{ id: b, ...bugs }]]);
    const { pattern } = tickets;
    expect(audited).to.deep.equal([
      ["linkifier_removed", { linkifier_id: a, pattern, urlTemplate: url_template }],
    ]);
    await refused(db, () => remove(a));
    await refused(db, () => update(a, tickets));
    expect(await listed()).to.deep.equal([{ id: b, ...bugs }]);
    expect((await change(() => remove(b))).received).to.deep.equal([[]]);
  });

  it("are reordered, and a new one follows the new order", async () => {
    const [a, b] = [await made(tickets), await made(bugs)];
    const c = await made({ pattern: "C", url_template: "https://c.example" });
    const { received, audited } = await change(() => reorder([c, a, b]));
    const ids = async () => (await listed()).map(({ id }) => id);
    expect(await ids()).to.deep.equal([c, a, b]);
    expect(received).to.deep.equal([await listed()]);
    expect(audited).to.deep.equal([["linkifiers_reordered", { old: [a, b, c], new: [c, a, b] }]]);
    const { result, tables } = await changesOf(db, () => reorder([c, a, b]));
    expect([result.status, tables]).to.deep.equal([200, []]);
    const d = await made({ pattern: "D", url_template: "https://d.example" });
    expect(await ids()).to.deep.equal([c, a, b, d]);
    const empty = await organization(db);
    expect((await reorder([], empty.owner)).status).to.equal(200);
  });

  it("are changed by administrators only", async () => {
    const id = await made(tickets);
    for (const by of [org.moderator, org.member, org.guest, org.bot])
      for (const attempt of [
        () => create(bugs, by),
        () => create({ pattern: "(", url_template: "" }, by),
        () => update(id, bugs, by),
        () => update(2_000_000_000, bugs, by),
        () => remove(id, by),
        () => reorder([id], by),
        () => reorder("?", by),
      ])
        await refused(db, attempt, "UNAUTHORIZED_PRINCIPAL");
  });

  it("refuse unusable patterns and templates", async () => {
    const id = await made(bugs);
    const wrong: Array<[Params, RegExp]> = [
      [{ pattern: "" }, /must not be empty/],
      [{ pattern: "(" }, /not a regular expression of RE2/],
      [{ pattern: "(?=x)(?P<id>x)" }, /not a regular expression of RE2/],
      [{ pattern: "x".repeat(251) }, /250 characters/],
      [{ pattern: "x".repeat(1_000_000) }, /250 characters/],
      [{ pattern: "(?P<id>x{1000})" }, /200 repetitions/],
      [{ pattern: "(?P<id>(x{1,30}){1,30})" }, /too complex/],
      [{ pattern: "#" }, /variable id, and pattern no group/],
      [{ pattern: "(?P<id>x)(?P<other>y)" }, /group other, and url_template no variable/],
      [{ url_template: "" }, /group id, and url_template no variable/],
      [{ url_template: "https://t.example/{id" }, /RFC 6570/],
      [{ url_template: "javascript:{id}" }, /must be an address/],
      [{ url_template: `https://t.example/{id}${"x".repeat(1_000)}` }, /1000 characters/],
    ];
    for (const [params, msg] of wrong) {
      const whole = { ...tickets, ...params };
      expect((await refused(db, () => create(whole))).msg).to.match(msg);
      expect((await refused(db, () => update(id, whole))).msg).to.match(msg);
    }
    for (const parameter of ["pattern", "url_template"]) {
      const without = { ...tickets, [parameter]: undefined };
      const missing = { var_name: parameter };
      await refused(db, () => create(without), "REQUEST_VARIABLE_MISSING", missing);
      await refused(db, () => update(id, without), "REQUEST_VARIABLE_MISSING", missing);
      await refused(db, () => create({ ...tickets, [parameter]: "a\u0000b" }));
    }
    expect(await listed()).to.deep.equal([{ id, ...bugs }]);
  });

  it("have unique patterns in the organization", async () => {
    const [a, b] = [await made(tickets), await made(bugs)];
    await refused(db, () => create({ ...bugs, pattern: tickets.pattern }));
    await refused(db, () => update(b, { ...bugs, pattern: tickets.pattern }));
    expect((await update(a, { ...tickets, pattern: "(?i)bug-(?P<id>[0-9]+)" })).status).to.equal(
      200,
    );
    const other = await organization(db);
    expect((await create(bugs, other.admin)).status).to.equal(200);
  });

  it("are visible within their organization only", async () => {
    const foreign = await organization(db);
    const { id } = await gateway.as(foreign.admin).succeed(createLinkifier, { params: tickets });
    await made(bugs);
    for (const unknown of [id, 0, 2_000_000_000, 10 ** 15]) {
      await refused(db, () => update(unknown, tickets));
      await refused(db, () => remove(unknown));
    }
    await refused(db, () => reorder([id]));
  });

  it("are reordered only as a complete list", async () => {
    const [a, b] = [await made(tickets), await made(bugs)];
    for (const order of [
      [],
      [a],
      [a, a],
      [a, b, a],
      [a, b, 0],
      [a, 2_000_000_000],
      [a, b, 10 ** 15],
    ])
      await refused(db, () => reorder(order));
    for (const order of ["", "7", '["1"]', "[1.5]", "{}", "[", "null", JSON.stringify([[a, b]])])
      await refused(db, () => reorder(order));
    const missing = { var_name: "ordered_linkifier_ids" };
    await refused(db, () => reorder(undefined), "REQUEST_VARIABLE_MISSING", missing);
    const many = Array.from({ length: 101 }, (_, i) => i + 1);
    expect((await refused(db, () => reorder(many))).msg).to.contain("100 linkifiers");
  });

  it("are limited in number and complexity", async () => {
    const fill = (count: number, pattern: string) =>
      db.rows(
        `INSERT INTO linkifiers (realm_id, pattern, url_template, "order")
         SELECT $1, n || $2, 'https://t.example', n FROM generate_series(1, $3::int) AS n`,
        [org.realm.id, pattern, count],
      );
    await fill(maxLinkifiers - 1, "x");
    const last = await made(tickets);
    expect((await refused(db, () => create(bugs))).msg).to.contain("100 linkifiers");
    expect((await update(last, bugs)).status).to.equal(200);
    await db.rows("DELETE FROM linkifiers WHERE realm_id = $1", [org.realm.id]);
    await fill(9, "(?:abc){65}");
    expect(
      (await refused(db, () => create({ ...tickets, pattern: "#(?P<id>a{200})" }))).msg,
    ).to.contain("2000 instructions");
    expect((await create(tickets)).status).to.equal(200);
  });

  it("are changed by one administrator after another", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        create(n % 2 ? tickets : bugs, n % 3 ? org.admin : org.owner),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(2);
    const [a, b] = (await listed()).map(({ id }) => id);
    const outcomes = await Promise.all([
      remove(a),
      reorder([b, a]),
      update(a, { ...tickets, pattern: "(?P<id>Z)" }),
    ]);
    expect(outcomes[0]?.status).to.equal(200);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([b]);
  });

  it("run the same number of statements for any number of linkifiers", async () => {
    let made = 0;
    const count = async () =>
      (await countQueries(db, () => create({ ...tickets, pattern: `own ${++made}(?P<id>x)` })))
        .count;
    const few = await count();
    for (let n = 0; n < 5; n++) await count();
    expect(await count()).to.equal(few);
  });
});
