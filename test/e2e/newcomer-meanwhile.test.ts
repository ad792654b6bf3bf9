import { createUser, getEvents, register, removeSubscriptions } from "@carillon/contract";
import {
  channel,
  countWaiting,
  organization,
  useDatabase,
  useGateway,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

// events.md §5: changes after a snapshot are sent as events. The receivers of a change are determined in its
// transaction; an account created meanwhile must not miss the change in both its snapshot and its events.
describe("An account created during other changes", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  it("gets events for changes missing from its snapshot", async () => {
    const org = await organization(db);
    const room = await channel(db, org.owner, { subscribers: [org.owner, org.member] });
    let leaving: Promise<unknown> | undefined;
    let coming: Promise<{ user_id: number }> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE", [room.id]);
      leaving = gateway
        .as(org.member)
        .succeed(removeSubscriptions, { params: { subscriptions: [room.name] } });
      await waiting(1);
      coming = gateway.as(org.owner).succeed(createUser, {
        params: { email: "newcomer@example.com", password: "long enough", full_name: "Nell New" },
      });
      await waiting(2);
    });
    await leaving;
    const { user_id: id } = await coming!;
    const [order] = await db.rows<{ left: number; came: number }>(
      `SELECT max(seq) FILTER (WHERE type = 'subscription' AND op = 'peer_remove') AS left,
         max(seq) FILTER (WHERE type = 'realm_user' AND op = 'add') AS came
       FROM event_log WHERE realm_id = $1`,
      [org.realm.id],
    );
    expect(id).to.be.a("number");
    expect(order?.came).to.be.greaterThan(order?.left ?? Infinity);
  });

  it("gets events of the next change", async () => {
    const org = await organization(db);
    const room = await channel(db, org.owner, { subscribers: [org.owner, org.admin] });
    const queue = await gateway.as(org.member).succeed(register, {
      params: { event_types: ["subscription"] },
    });
    await gateway
      .as(org.admin)
      .succeed(removeSubscriptions, { params: { subscriptions: [room.name] } });
    const { events } = await gateway.as(org.member).succeed(getEvents, {
      params: { queue_id: queue.queue_id, last_event_id: queue.last_event_id },
    });
    expect(events.at(0)).to.deep.include({ op: "peer_remove", user_ids: [org.admin.id] });
  });

  async function waiting(count: number): Promise<void> {
    await waitFor(async () => (await countWaiting(db.pool)) === count, {
      what: `${count} requests wait`,
    });
  }
});
