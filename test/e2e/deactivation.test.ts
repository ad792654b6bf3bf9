import {
  addSubscriptions,
  createBot,
  deactivateUser,
  getEvents,
  getOwnUser,
  listSubscribers,
  reactivateUser,
  register,
  updateBot,
  updateUser,
} from "@carillon/contract";
import {
  bot,
  channel,
  organization,
  refusedWith,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type Gateway,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("The deactivation of a user, over two gateways", () => {
  const db = useDatabase();
  const a = useGateway(db);
  const b = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const openQueue = async (gateway: Gateway, account: TestAccount, eventTypes?: string[]) => {
    const { queue_id, last_event_id } = await gateway.as(account).succeed(register, {
      params: { fetch_event_types: [], event_types: eventTypes },
    });
    return { queue_id, last_event_id };
  };
  const poll = (
    gateway: Gateway,
    account: TestAccount,
    queue: { queue_id: string; last_event_id: number },
    more = {},
  ) => gateway.as(account).call(getEvents, { params: { ...queue, ...more } });
  const polls = (n: number) =>
    waitFor(() => a.events.counters.waiting + b.events.counters.waiting === n || undefined, {
      what: `${n} polls are open`,
    });
  const status = (gateway: Gateway, account: TestAccount) =>
    gateway
      .as(account)
      .call(getOwnUser)
      .then((answer) => answer.status);

  it("refuses the next request of the user and their bots on all gateways, and ends open polls with 401", async () => {
    const target = await user(db, org.realm);
    const machine = await bot(db, target);
    const open = [
      poll(a, target, await openQueue(a, target, ["message"])),
      poll(b, target, await openQueue(a, target, ["message"])),
      poll(b, machine, await openQueue(b, machine, ["presence"])),
    ];
    await polls(3);
    await a.as(org.admin).succeed(deactivateUser, { path: { user_id: target.id } });
    for (const gateway of [a, b])
      for (const account of [target, machine]) expect(await status(gateway, account)).to.equal(401);
    for (const answer of await Promise.all(open)) {
      refusedWith(answer, "UNAUTHORIZED");
      expect(answer.headers.get("www-authenticate")).to.equal('Basic realm="zulip"');
    }
    await polls(0);
  });

  it("ends polls for all events with 401, without the deactivation's event", async () => {
    const target = await user(db, org.realm);
    const open = [a, b].map(async (gateway) =>
      poll(gateway, target, await openQueue(gateway, target)),
    );
    await polls(2);
    await a.as(org.admin).succeed(deactivateUser, { path: { user_id: target.id } });
    for (const answer of await Promise.all(open)) refusedWith(answer, "UNAUTHORIZED");
  });

  it("is sent to others in the order of the log, as is the reactivation", async () => {
    const target = await user(db, org.realm);
    const machine = await bot(db, target);
    const queue = await openQueue(b, org.guest, ["realm_user"]);
    await a.as(org.admin).succeed(deactivateUser, { path: { user_id: target.id } });
    await a.as(org.admin).succeed(reactivateUser, { path: { user_id: target.id } });
    const { body } = await poll(b, org.guest, queue, { dont_block: true });
    expect(body.events.map((event) => (event as { person?: object }).person)).to.deep.equal([
      { user_id: machine.id, is_active: false },
      { user_id: target.id, is_active: false },
      { user_id: target.id, is_active: true },
    ]);
    expect([await status(b, target), await status(b, machine)]).to.deep.equal([200, 401]);
  });

  it("refuses requests that arrive on the other gateway at the same time", async () => {
    const target = await user(db, org.realm, { role: 200 });
    const requests = () => [
      b.as(target).call(createBot, {
        params: { full_name: `Late ${target.id}`, short_name: `late-${target.id}` },
      }),
      b.as(target).call(updateUser, {
        path: { user_id: org.member.id },
        params: { full_name: `By ${target.id}` },
      }),
      b.as(target).call(register, { params: { fetch_event_types: [] } }),
    ];
    const [removed, ...others] = await Promise.all([
      a.as(org.owner).call(deactivateUser, { path: { user_id: target.id } }),
      ...requests(),
      ...requests(),
    ]);
    expect(removed?.status).to.equal(200);
    for (const answer of others) expect(answer.status).to.be.oneOf([200, 400, 401]);
    for (const answer of await Promise.all(requests())) refusedWith(answer, "UNAUTHORIZED");
    expect(
      await db.prisma.user.count({ where: { botOwnerId: target.id, isActive: true } }),
    ).to.equal(0);
  });

  it("leaves no active bot with an inactive owner under concurrent changes of bots", async () => {
    for (let round = 0; round < 4; round++) {
      const target = await user(db, org.realm);
      const own = [await bot(db, target), await bot(db, target)];
      const dormant = await bot(db, target, { isActive: false });
      const foreign = await bot(db, org.admin);
      const before = await db.prisma.user.count({ where: { realmId: org.realm.id, isBot: true } });
      const name = `late-${target.id}`;
      const [removed, ...others] = await Promise.all([
        a.as(org.owner).call(deactivateUser, { path: { user_id: target.id } }),
        b.as(target).call(createBot, { params: { full_name: name, short_name: name } }),
        b.as(org.admin).call(updateBot, {
          path: { bot_id: foreign.id },
          params: { bot_owner_id: target.id },
        }),
        b.as(org.admin).call(reactivateUser, { path: { user_id: dormant.id } }),
        a.as(org.admin).call(updateBot, {
          path: { bot_id: own[0]?.id ?? 0 },
          params: { bot_owner_id: org.member.id },
        }),
      ]);
      expect(removed?.status).to.equal(200);
      for (const answer of others) expect(answer.status).to.be.oneOf([200, 400, 401]);
      const orphans = await db.rows(
        `SELECT b.id FROM users b JOIN users o ON o.id = b.bot_owner_id
         WHERE b.realm_id = $1 AND b.is_bot AND b.is_active AND NOT o.is_active`,
        [org.realm.id],
      );
      expect(orphans).to.deep.equal([]);
      const after = await db.prisma.user.count({ where: { realmId: org.realm.id, isBot: true } });
      expect(after - before).to.equal(others[0]?.status === 200 ? 1 : 0);
    }
  });

  it("counts no subscription that is created meanwhile", async () => {
    const target = await user(db, org.realm);
    const rooms = [];
    for (let i = 0; i < 8; i++)
      rooms.push(await channel(db, org.owner, { subscribers: [org.member] }));
    const subscriptions = rooms.map((room) =>
      b.as(target).call(addSubscriptions, { params: { subscriptions: [{ name: room.name }] } }),
    );
    const [removed, ...others] = await Promise.all([
      a.as(org.owner).call(deactivateUser, { path: { user_id: target.id } }),
      ...subscriptions,
    ]);
    expect(removed?.status).to.equal(200);
    for (const answer of others) expect(answer.status).to.be.oneOf([200, 400, 401]);
    for (const room of rooms) {
      const [now, { subscribers }] = await Promise.all([
        db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } }),
        a.as(org.owner).succeed(listSubscribers, { path: { stream_id: room.id } }),
      ]);
      expect(subscribers).to.deep.equal([org.member.id]);
      expect(now.subscriberCount).to.equal(1);
    }
  });
});
