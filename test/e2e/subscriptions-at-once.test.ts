import { addSubscriptions, removeSubscriptions, updateSubscriptions } from "@carillon/contract";
import {
  changeChannel,
  changeOrganization,
  channel,
  countWaiting,
  eventsOf,
  organization,
  refusedWith,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type LoggedEvent,
  type Refusable,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §10, events.md §5: every subscriber gets events of all later subscribers.
describe("Concurrent changes of subscriptions to a private channel", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let one: TestAccount;
  let other: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    org = await organization(db);
    [one, other] = [await user(db, org.realm), await user(db, org.realm)];
  });

  it("send each of two new subscribers the other one", async () => {
    room = await channel(db, org.owner, { inviteOnly: true, subscribers: [org.owner] });
    const events = await atOnce(
      () => change(addSubscriptions, one),
      () => change(addSubscriptions, other),
    );
    expect(knownTo(one, events)).to.have.members([org.owner.id, one.id, other.id]);
    expect(knownTo(other, events)).to.have.members([org.owner.id, one.id, other.id]);
  });

  it("send a new subscriber the unsubscription of another, or nothing about the other", async () => {
    room = await channel(db, org.owner, { inviteOnly: true, subscribers: [org.owner, other] });
    const events = await atOnce(
      () => change(addSubscriptions, one),
      () => change(removeSubscriptions, other),
    );
    expect(knownTo(one, events)).to.have.members([org.owner.id, one.id]);
  });

  it("lock in one order, in whichever order the requests name the channels", async () => {
    room = await channel(db, org.owner, { subscribers: [one] });
    const next = await channel(db, org.owner);
    let request: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE", [room.id]);
      const params = { add: [{ name: next.name }], delete: [room.name] };
      request = gateway.as(one).succeed(updateSubscriptions, { params });
      await waiting(1);
      // It waits for the first lock and does not hold the second, which another request may need.
      await tx.rows("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE NOWAIT", [next.id]);
    });
    await request;
  });

  /** Subscribes an account, and changes the channel's row once the request waits for it. */
  async function changedMeanwhile(
    by: TestAccount,
    row: Parameters<typeof changeChannel>[2],
  ): Promise<Refusable> {
    let request: Promise<Refusable> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE", [room.id]);
      request = gateway.as(by).call(addSubscriptions, {
        params: { subscriptions: [{ name: room.name }], principals: [other.id] },
      });
      await waiting(1);
      await (await tx.prisma()).channel.update({ where: { id: room.id }, data: row });
    });
    return request!;
  }

  it("are refused if the channel no longer lets the actor add others", async () => {
    await changeOrganization(db, org.realm, {
      canAddSubscribersGroupId: org.groups["role:nobody"],
    });
    room = await channel(db, org.owner, {
      groups: { canAddSubscribersGroupId: org.groups["role:members"] },
    });
    const closed = { canAddSubscribersGroupId: org.groups["role:nobody"] };
    refusedWith(await changedMeanwhile(one, closed));
    expect(await db.prisma.subscription.count({ where: { channelId: room.id } })).to.equal(0);
  });

  it("are refused if the channel is archived or made private meanwhile", async () => {
    for (const row of [
      { isArchived: true },
      { inviteOnly: true, historyPublicToSubscribers: false },
    ]) {
      room = await channel(db, org.owner);
      refusedWith(await changedMeanwhile(one, row));
      expect(await db.prisma.subscription.count({ where: { channelId: room.id } })).to.equal(0);
    }
  });

  it("apply to the named channel even if it is renamed meanwhile", async () => {
    room = await channel(db, org.owner);
    const name = `${room.name} anew`;
    const { body } = await changedMeanwhile(one, { name });
    expect(body, body.msg).to.deep.include({ subscribed: { [other.id]: [name] } });
    expect(await db.prisma.subscription.count({ where: { channelId: room.id } })).to.equal(1);
  });

  /** Both requests have finished their checks before either changes data. */
  async function atOnce(
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
  ): Promise<LoggedEvent[]> {
    const { events } = await eventsOf(db, org.realm.id, async () => {
      const requests: Array<Promise<unknown>> = [];
      await db.transaction(async (tx) => {
        await tx.rows("SELECT FROM channels WHERE id = $1 FOR NO KEY UPDATE", [room.id]);
        for (const request of [first, second]) {
          requests.push(request());
          await waiting(requests.length);
        }
      });
      await Promise.all(requests);
    });
    return events;
  }

  async function waiting(count: number): Promise<void> {
    await waitFor(async () => (await countWaiting(db.pool)) === count, {
      what: `${count} requests wait for the channel`,
    });
  }

  function change(
    operation: typeof addSubscriptions | typeof removeSubscriptions,
    { id }: TestAccount,
  ): Promise<unknown> {
    const subscriptions =
      operation.id === addSubscriptions.id ? [{ name: room.name }] : [room.name];
    const params = { subscriptions, principals: [id] };
    return gateway.as(org.owner).succeed(operation, { params });
  }

  /** The subscribers according to the events of an account's clients. */
  function knownTo({ id }: TestAccount, events: readonly LoggedEvent[]): number[] {
    let known: number[] = [];
    for (const { type, op, payload, audience } of events) {
      if (type !== "subscription" || !audience?.includes(id)) continue;
      const { user_ids: ids = [] } = payload as { user_ids?: number[] };
      if (op === "peer_add") known.push(...ids);
      if (op === "peer_remove") known = known.filter((each) => !ids.includes(each));
      const added = payload["subscriptions"] as Array<{ subscribers: number[] }> | undefined;
      if (op === "add") known = added?.flatMap(({ subscribers }) => subscribers) ?? [];
    }
    return known;
  }
});
