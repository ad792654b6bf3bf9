import { deactivateRealm, getOwnUser, updateRealm } from "@carillon/contract";
import { setDeactivated } from "@carillon/domain";
import { sendMail } from "@carillon/jobs";
import {
  eventsOf,
  organization,
  pendingPayloads,
  refused,
  refusedWith,
  type TestOrganization,
  useDatabase,
  useGateway,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /realm/deactivate", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const deactivate = (by = org.owner, params = {}) =>
    gateway.as(by).call(deactivateRealm, { params });

  it("is for owners", async () => {
    for (const by of [org.admin, org.moderator, org.member, org.guest, org.bot])
      await refused(db, () => deactivate(by), "UNAUTHORIZED_PRINCIPAL");
  });

  it("refuses a number of days after which the organization would be deleted", async () => {
    for (const deletion_delay_days of [0, 30, "soon", "{}"])
      await refused(db, () => deactivate(org.owner, { deletion_delay_days }), "BAD_REQUEST");
  });

  it("ends polls, refuses keys, changes no other organization, and can be undone by an operator", async () => {
    const queue = await gateway.as(org.member).post("/api/v1/register", {});
    const { queue_id, last_event_id } = queue.body;
    const before = gateway.events.counters.waiting;
    const poll = gateway.as(org.member).get("/api/v1/events", { queue_id, last_event_id });
    await waitFor(() => gateway.events.counters.waiting > before, { what: "a poll" });
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      deactivate(org.owner, { deletion_delay_days: null }),
    );
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    expect(events.map(({ type, op, payload }) => ({ type, op, payload }))).to.deep.equal([
      { type: "realm", op: "deactivated", payload: { realm_id: org.realm.id } },
    ]);
    refusedWith(await poll, "UNAUTHORIZED");
    await refused(db, () => gateway.as(org.owner).call(getOwnUser), "UNAUTHORIZED");
    await refused(db, () => deactivate(), "UNAUTHORIZED");
    await gateway.as(other.owner).succeed(updateRealm, { params: { description: "Still here" } });
    const audit = await db.prisma.auditLog.findMany({
      where: { realmId: org.realm.id, eventType: "realm_deactivated" },
    });
    expect(audit.map(({ actingUserId }) => actingUserId)).to.deep.equal([org.owner.id]);
    expect(await pendingPayloads(db, sendMail)).to.deep.equal([
      { kind: "organization-deactivated", userId: org.owner.id, actorId: org.owner.id },
    ]);

    expect(await db.transaction((tx) => setDeactivated(tx, org.realm.id, false))).to.equal(true);
    expect(await db.transaction((tx) => setDeactivated(tx, org.realm.id, false))).to.equal(false);
    await gateway.as(org.owner).succeed(getOwnUser);
  });
});
