import { deactivateUser, type AuditPage } from "@carillon/domain";
import { organization, user, type TestOrganization } from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";

describe("the audit log in the dashboard", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let other: TestOrganization;

  before(async () => {
    const { db } = dashboard();
    org = await organization(db);
    other = await organization(db);
    await db.rows("UPDATE realms SET name = 'Blue <b>Whale' WHERE id = $1", [org.realm.id]);
    await db.rows("UPDATE realms SET name = 'Twins' WHERE id = $1", [other.realm.id]);
    await db.rows("DELETE FROM audit_log");
  });
  afterEach(() => dashboard().db.rows("DELETE FROM audit_log"));

  const list = async (query: Record<string, string> = {}) =>
    (await dashboard().json(`/audit?${new URLSearchParams(query).toString()}`)) as AuditPage;

  async function lines(of: TestOrganization, count: number, type = "thing_changed"): Promise<void> {
    await dashboard().db.rows(
      `INSERT INTO audit_log (realm_id, acting_user_id, modified_user_id, event_type, event_time, extra_data)
       SELECT $1, $2, $3, $4, now() - make_interval(hours => $5::int - i), jsonb_build_object('n', i)
       FROM generate_series(1, $5::int) AS i`,
      [of.realm.id, of.owner.id, of.member.id, type, count],
    );
  }

  it("shows the acting and the changed account by name", async () => {
    const { db } = dashboard();
    const target = await user(db, org.realm, { fullName: "<i>Ludwig" });
    await deactivateUser(db, org.owner, target.id, {});
    const page = await list({ type: "user_deactivated" });
    expect(page.lines).to.have.length(1);
    expect(page.lines[0]).to.deep.include({
      type: "user_deactivated",
      realmId: org.realm.id,
      realmName: "Blue <b>Whale",
      actingUserId: org.owner.id,
      userId: target.id,
      userName: "<i>Ludwig",
    });
    const text = await (await dashboard().ask("/audit")).text();
    expect(text).to.include("&lt;i&gt;Ludwig").and.not.include("<i>Ludwig");
  });

  it("lists the latest entries first, page by page, for viewers too", async () => {
    await lines(org, 120);
    const seen: number[] = [];
    let before: number | undefined;
    do {
      const page = await list(before === undefined ? {} : { before: String(before) });
      seen.push(...page.lines.map(({ data }) => data["n"] as number));
      before = page.next;
    } while (before !== undefined);
    expect(seen).to.deep.equal(Array.from({ length: 120 }, (_, i) => 120 - i));
    expect((await dashboard().ask("/audit", { as: "viewer" })).status).to.equal(200);
    expect((await dashboard().ask("/audit", { as: "nobody" })).status).to.equal(401);
  });

  it("filters by the names of organizations and accounts, by type and by time", async () => {
    await lines(org, 3, "first_type");
    await lines(other, 2, "second_type");
    const count = async (query: Record<string, string>) => (await list(query)).lines.length;
    expect(await count({ organization: "blue <B>whale" })).to.equal(3);
    expect(await count({ organization: `#${other.realm.id}` })).to.equal(2);
    expect(await count({ organization: other.realm.subdomain })).to.equal(2);
    expect(await count({ organization: "nowhere" })).to.equal(0);
    expect(await count({ account: org.member.deliveryEmail.toUpperCase() })).to.equal(3);
    expect(await count({ account: other.owner.fullName, organization: "Twins" })).to.equal(2);
    expect(await count({ account: "nobody at all" })).to.equal(0);
    expect(await count({ type: "second_type" })).to.equal(2);
    const recently = new Date(Date.now() - 90 * 60_000).toISOString();
    expect(await count({ type: "first_type", since: recently })).to.equal(2);
    expect(await count({ type: "first_type", until: recently })).to.equal(1);
  });

  it("refuses an ambiguous organization name", async () => {
    const { db } = dashboard();
    const twin = await organization(db);
    await db.rows("UPDATE realms SET name = 'Twins' WHERE id = $1", [twin.realm.id]);
    const answer = await dashboard().ask("/audit?organization=twins", {
      headers: { accept: "application/json" },
    });
    expect(answer.status).to.equal(400);
    expect(((await answer.json()) as { error: string }).error).to.include(
      `#${twin.realm.id} (${twin.realm.subdomain})`,
    );
  });

  it("refuses malformed filters", async () => {
    for (const query of ["type=a%20b", "since=yesterday", "before=x", `account=${"a".repeat(255)}`])
      expect((await dashboard().ask(`/audit?${query}`)).status, query).to.equal(400);
  });
});
