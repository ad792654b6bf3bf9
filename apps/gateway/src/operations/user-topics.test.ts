import { muteTopic, setTopicPolicy } from "@carillon/contract";
import {
  changeChannel,
  channel,
  eventsOf,
  organization,
  refused,
  refusedAlike,
  setTopicPolicy as storeTopicPolicy,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;

describe("Topic visibility policies", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const rows = async (of: TestAccount) =>
    (await db.prisma.userTopic.findMany({ where: { userId: of.id }, orderBy: { id: "asc" } })).map(
      ({ channelId, topic, visibilityPolicy }) => [channelId, topic, visibilityPolicy],
    );
  const event = (of: TestAccount, channelId: number, topic: string, policy: number) => ({
    type: "user_topic",
    op: null,
    audience: [of.id],
    payload: { stream_id: channelId, topic_name: topic, visibility_policy: policy },
  });

  /** Requests of one of the two operations. */
  const requests = (operation: typeof setTopicPolicy | typeof muteTopic) => ({
    change: async (by: TestAccount, params: Params) => {
      const { result, events } = await eventsOf(db, by.realmId, () =>
        gateway.as(by).call(operation, { params }),
      );
      expect(result.body, result.body.msg).to.deep.equal({ result: "success", msg: "" });
      return events.map(({ type, op, audience, payload }) => {
        const { last_updated: time, ...rest } = payload;
        expect(time).to.be.a("number").and.be.greaterThan(1_700_000_000);
        return { type, op, audience, payload: rest };
      });
    },
    refuses: (by: TestAccount, params: Params, code?: string) =>
      refused(db, () => gateway.as(by).call(operation, { params }), code),
  });

  describe("POST /user_topics", () => {
    const { change, refuses } = requests(setTopicPolicy);

    it("stores one policy for each topic in any case, and sends it to the caller alone", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin, { subscribers: [me, org.owner] });
      const set = (topic: string, policy: number) =>
        change(me, { stream_id: room.id, topic, visibility_policy: policy });
      expect(await set(" Lunch ", 1)).to.deep.equal([event(me, room.id, "Lunch", 1)]);
      expect(await set("lunch", 3)).to.deep.equal([event(me, room.id, "Lunch", 3)]);
      expect(await set("supper", 2)).to.deep.equal([event(me, room.id, "supper", 2)]);
      expect(await rows(me)).to.deep.equal([
        [room.id, "Lunch", 3],
        [room.id, "supper", 2],
      ]);
      expect(await set("LUNCH", 3)).to.deep.equal([]);
    });

    it("deletes a policy with 0, with one event", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin);
      await storeTopicPolicy(db, me, room, "Lunch", "followed");
      const clear = () => change(me, { stream_id: room.id, topic: "lunch", visibility_policy: 0 });
      expect(await clear()).to.deep.equal([event(me, room.id, "Lunch", 0)]);
      expect(await rows(me)).to.deep.equal([]);
      expect(await clear()).to.deep.equal([]);
    });

    it("accepts the names of the empty topic", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin);
      for (const [i, topic] of ["", "(no topic)", org.realm.emptyTopicDisplayName].entries())
        expect(
          await change(me, { stream_id: room.id, topic, visibility_policy: i + 1 }),
        ).to.deep.equal([event(me, room.id, "", i + 1)]);
      expect(await rows(me)).to.deep.equal([[room.id, "", 3]]);
    });

    it("requires a readable channel that is not archived, but no subscription", async () => {
      const me = await user(db, org.realm);
      const [open, closed, archived, foreign] = [
        await channel(db, org.admin),
        await channel(db, org.admin, { inviteOnly: true }),
        await channel(db, org.admin, { isArchived: true }),
        await channel(db, other.admin),
      ];
      const set = { topic: "lunch", visibility_policy: 1 };
      await change(me, { ...set, stream_id: open.id });
      const unknown = [closed.id, archived.id, foreign.id, 2_000_000_000, -1, 10 ** 15];
      const asked = unknown.flatMap((stream_id) =>
        [0, 1].map((visibility_policy) => ({ ...set, stream_id, visibility_policy })),
      );
      await refusedAlike(db, asked, (params) => gateway.as(me).call(setTopicPolicy, { params }));
      await refuses(org.guest, { ...set, stream_id: open.id });
      await refuses(org.owner, { ...set, stream_id: closed.id });
    });

    it("deletes policies in channels that the caller can no longer read", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin, { inviteOnly: true, subscribers: [me] });
      const at = { stream_id: room.id, topic: "lunch" };
      await change(me, { ...at, visibility_policy: 1 });
      await unsubscribe(db, room, me);
      await refuses(me, { ...at, visibility_policy: 3 });
      expect(await change(me, { ...at, visibility_policy: 0 })).to.deep.equal([
        event(me, room.id, "lunch", 0),
      ]);
      await refuses(me, { ...at, visibility_policy: 0 });
    });

    it("never changes rows of other accounts", async () => {
      const [me, colleague] = [await user(db, org.realm), await user(db, org.realm)];
      const room = await channel(db, org.admin);
      await storeTopicPolicy(db, colleague, room, "lunch", "followed");
      const at = { stream_id: room.id, topic: "lunch" };
      await change(me, { ...at, visibility_policy: 1 });
      await change(me, { ...at, visibility_policy: 0 });
      expect(await rows(colleague)).to.deep.equal([[room.id, "lunch", 3]]);
    });

    it("refuses invalid policies, invalid topics and missing parameters", async () => {
      const room = await channel(db, org.admin);
      const good = { stream_id: room.id, topic: "lunch", visibility_policy: 1 };
      for (const visibility_policy of [4, -1, "1.0", "true", ""])
        await refuses(org.member, { ...good, visibility_policy });
      for (const topic of ["x".repeat(61), "a\tb", "a\u0000b"])
        await refuses(org.member, { ...good, topic });
      await change(org.member, { ...good, topic: "🍲".repeat(60) });
      for (const name of ["stream_id", "topic", "visibility_policy"])
        await refuses(org.member, { ...good, [name]: undefined }, "REQUEST_VARIABLE_MISSING");
    });

    it("stores one row for parallel requests", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin);
      const policies = [1, 2, 3, 1, 2, 3];
      await Promise.all(
        policies.map((visibility_policy) =>
          gateway.as(me).succeed(setTopicPolicy, {
            params: { stream_id: room.id, topic: "lunch", visibility_policy },
          }),
        ),
      );
      expect(await rows(me)).to.have.length(1);
    });
  });

  describe("PATCH /users/me/subscriptions/muted_topics", () => {
    const { change, refuses } = requests(muteTopic);

    it("mutes and unmutes a topic of a channel given by ID or by name", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin);
      const byId = { stream_id: room.id, topic: "Lunch" };
      const byName = { stream: ` ${room.name.toUpperCase()} `, topic: "lunch" };
      expect(await change(me, { ...byId, op: "add" })).to.deep.equal([
        event(me, room.id, "Lunch", 1),
      ]);
      expect(await change(me, { ...byName, op: "add" })).to.deep.equal([]);
      expect(await change(me, { ...byName, op: "remove" })).to.deep.equal([
        event(me, room.id, "Lunch", 0),
      ]);
      expect(await rows(me)).to.deep.equal([]);
    });

    it("unmutes muted topics only", async () => {
      const me = await user(db, org.realm);
      const room = await channel(db, org.admin);
      const remove = { stream_id: room.id, topic: "lunch", op: "remove" };
      await refuses(me, remove);
      await storeTopicPolicy(db, me, room, "lunch", "followed");
      await refuses(me, remove);
      await change(me, { ...remove, op: "add" });
      await changeChannel(db, room, { isArchived: true });
      expect(await change(me, remove)).to.have.length(1);
    });

    it("refuses channels that the caller cannot read", async () => {
      const closed = await channel(db, org.admin, { inviteOnly: true });
      for (const op of ["add", "remove"]) {
        await refuses(org.member, { stream_id: closed.id, topic: "lunch", op });
        await refuses(org.member, { stream: closed.name, topic: "lunch", op });
        await refuses(org.member, { stream: "nowhere", topic: "lunch", op });
      }
      const foreign = await channel(db, other.admin);
      await refuses(org.member, { stream: foreign.name, topic: "lunch", op: "add" });
    });

    it("requires one channel, a topic and an operation", async () => {
      const room = await channel(db, org.admin);
      const good = { stream_id: room.id, topic: "lunch", op: "add" };
      await refuses(org.member, { ...good, stream: room.name });
      await refuses(org.member, { ...good, stream_id: undefined });
      await refuses(org.member, { ...good, op: "toggle" });
      await refuses(org.member, { ...good, op: undefined }, "REQUEST_VARIABLE_MISSING");
      await refuses(org.member, { ...good, topic: undefined }, "REQUEST_VARIABLE_MISSING");
    });
  });
});
