import {
  addDefaultChannel,
  createUser,
  removeDefaultChannel,
  type Operation,
} from "@carillon/contract";
import {
  changesOf,
  channel,
  eventsOf,
  organization,
  refused,
  snapshotOf,
  type TestAccount,
  type TestChannel,
  unique,
  useGateway,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST and DELETE /default_streams", () => {
  const scene = useScene();
  const second = useGateway(scene.db);

  const ask = (operation: Operation, id: unknown, by: TestAccount = scene.org.admin) =>
    scene.as(by).call(operation, { params: { stream_id: id } });
  const done = async (operation: Operation, id: number, by?: TestAccount) => {
    const { body } = await ask(operation, id, by);
    expect(body).to.deep.equal({ result: "success", msg: "" });
  };
  const defaultsOf = (events: Awaited<ReturnType<typeof eventsOf>>["events"]) =>
    events.filter(({ type }) => type === "default_streams");
  const listed = async (by: TestAccount) => {
    const snapshot = await snapshotOf(scene.as(by), ["default_streams"]);
    return snapshot["realm_default_streams"] as number[];
  };

  it("add and remove a default channel for new members", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm);
    await done(addDefaultChannel, room.id);
    expect(await listed(org.member)).to.include(room.id);
    expect(await listed(org.guest)).to.deep.equal([]);
    const newcomer = async () => {
      const { user_id } = await scene.as(org.owner).succeed(createUser, {
        params: {
          email: `${unique("new")}@carillon.test`,
          full_name: unique("New"),
          password: "correct horse",
        },
      });
      const where = { channelId_userId: { channelId: room.id, userId: user_id } };
      return (await db.prisma.subscription.findUnique({ where })) !== null;
    };
    expect(await newcomer()).to.equal(true);
    await done(removeDefaultChannel, room.id, org.owner);
    expect(await listed(org.member)).not.to.include(room.id);
    expect(await newcomer()).to.equal(false);
    const { subscriberCount } = await db.prisma.channel.findUniqueOrThrow({
      where: { id: room.id },
    });
    expect(subscriberCount, "who is subscribed stays so").to.equal(1);
  });

  it("send the full list to all accounts but guests, and change nothing else", async () => {
    const { db } = scene;
    const own = await organization(db);
    const [first, next] = [await channel(db, own.realm), await channel(db, own.realm)];
    const change = (operation: Operation, { id }: { id: number }) =>
      eventsOf(db, own.realm.id, () => changesOf(db, () => done(operation, id, own.owner)));
    const lists: unknown[] = [];
    for (const [operation, room] of [
      [addDefaultChannel, next],
      [addDefaultChannel, first],
      [removeDefaultChannel, next],
    ] as const) {
      const { result, events } = await change(operation, room);
      expect(result.tables).to.have.members([
        "audit_log",
        "default_channels",
        "event_head",
        "event_log",
      ]);
      expect(events).to.have.length(1);
      expect(events[0]?.audience).to.have.members(
        [own.owner, own.admin, own.moderator, own.member, own.bot].map(({ id }) => id),
      );
      lists.push(events[0]?.payload["default_streams"]);
    }
    expect(lists).to.deep.equal([[next.id], [first.id, next.id], [first.id]]);
  });

  it("do nothing if the channel is already in the requested state", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { isDefault: true });
    const other = await channel(db, org.realm);
    const { tables } = await changesOf(db, async () => {
      await done(addDefaultChannel, room.id);
      await done(removeDefaultChannel, other.id);
    });
    expect(tables).to.deep.equal([]);
  });

  it("lose no update under concurrent requests over two gateways", async () => {
    const { db, org } = scene;
    const rooms: TestChannel[] = [];
    for (let i = 0; i < 4; i++) rooms.push(await channel(db, org.realm));
    const { events } = await eventsOf(db, org.realm.id, () =>
      Promise.all(
        rooms.flatMap(({ id }) =>
          [scene.gateway, second].map((gateway) =>
            gateway.as(org.admin).succeed(addDefaultChannel, { params: { stream_id: id } }),
          ),
        ),
      ),
    );
    expect(defaultsOf(events)).to.have.length(4);
    const last = defaultsOf(events).at(-1)?.payload["default_streams"];
    expect(last).to.deep.equal((await listed(org.owner)).toSorted((a, b) => a - b));
    expect(last).to.include.members(rooms.map(({ id }) => id));
  });

  for (const operation of [addDefaultChannel, removeDefaultChannel])
    describe(`${operation.method} refuses`, () => {
      const refuses = (id: unknown, by?: TestAccount, code?: string, fields: object = {}) =>
        refused(scene.db, () => ask(operation, id, by), code, { ...fields });

      it("all callers but administrators, whether the channel exists or not", async () => {
        const { db, org } = scene;
        const room = await channel(db, org.member);
        const secret = await channel(db, org.member, { inviteOnly: true });
        for (const by of [org.moderator, org.member, org.guest, org.bot])
          for (const id of [room.id, secret.id, 2_000_000_000])
            await refuses(id, by, "UNAUTHORIZED_PRINCIPAL");
      });

      it("private, archived, foreign and unknown channels", async () => {
        const { db, org } = scene;
        const other = await organization(db);
        const bodies = [];
        for (const { id } of [
          await channel(db, org.realm, { isArchived: true }),
          await channel(db, other.realm),
          { id: 2_000_000_000 },
          { id: 0 },
        ])
          bodies.push(await refuses(id));
        for (const body of bodies) expect(body).to.deep.equal(bodies[0]);
        await refuses((await channel(db, org.realm, { inviteOnly: true })).id);
      });

      it("a value that is not a channel ID", async () => {
        for (const id of ["general", "1.5", "[1]", "true"]) await refuses(id);
        await refuses(undefined, undefined, "REQUEST_VARIABLE_MISSING", { var_name: "stream_id" });
      });
    });
});
