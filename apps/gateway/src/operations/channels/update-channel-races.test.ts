import { createChannel, sendMessage, updateChannel } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  lockAudiencesShared,
  lockChannels,
  lockGroupGraph,
  subscribe,
  unsubscribe,
} from "@carillon/model";
import {
  changesOf,
  channel,
  countWaiting,
  eventsOf,
  patchChannel,
  patchedChannel,
  refusedWith,
  send,
  shownChannel,
  toChannel,
  unique,
  useGateway,
  user,
  useScene,
  waitFor,
  type ChannelOverrides,
  type ChannelPatch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

type Change = (tx: Tx) => Promise<unknown>;

// docs/decisions/012, 018: the second request sees the changes of the first.
describe("PATCH /streams/{stream_id}: concurrent changes", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const room = (overrides?: ChannelOverrides) => channel(scene.db, scene.org.member, overrides);

  /** Blocks a request on the lock, makes a change meanwhile, and releases the request. */
  async function meanwhile<A>(lock: Change, change: Change, ask: () => Promise<A>): Promise<A> {
    let asked: Promise<A> | undefined;
    await scene.db.transaction(async (tx) => {
      await lock(tx);
      asked = ask();
      await waitFor(async () => (await countWaiting(scene.db.pool)) === 1, {
        what: "the request waits",
      });
      await change(tx);
    });
    return asked!;
  }
  const lockRoom =
    (id: number): Change =>
    (tx) =>
      lockChannels(tx, [id]);
  const lockGroups: Change = (tx) => lockGroupGraph(tx, scene.org.realm.id);
  const setColumn =
    (id: number, column: string, value: unknown): Change =>
    (tx) =>
      tx.rows(`UPDATE channels SET ${column} = $2 WHERE id = $1`, [id, value]);

  describe("a request that waited for another change checks current data for", () => {
    /** Expects a refusal without events after the change of another transaction. */
    async function refusedAfter(
      lock: Change,
      change: Change,
      ask: () => ReturnType<typeof patchChannel>,
      code: string,
      fields = {},
    ): Promise<void> {
      const { events, result } = await eventsOf(scene.db, scene.org.realm.id, () =>
        meanwhile(lock, change, ask),
      );
      refusedWith(result, code, fields);
      expect(events).to.deep.equal([]);
    }

    it("the caller's permission to administer the channel", async () => {
      const { member, groups } = scene.org;
      const { id } = await room();
      await refusedAfter(
        lockRoom(id),
        setColumn(id, "can_administer_channel_group_id", groups["role:nobody"]),
        () => patchChannel(scene, id, { description: "x" }, member),
        "CANNOT_ADMINISTER_CHANNEL",
      );
    });

    it("the caller's role", async () => {
      const { id } = await room();
      for (const params of [{ description: "x" }, { new_name: unique("x") }]) {
        const admin = await user(scene.db, scene.org.realm, { role: 200 });
        await refusedAfter(
          lockGroups,
          (tx) => tx.rows("UPDATE users SET role = 400 WHERE id = $1", [admin.id]),
          () => patchChannel(scene, id, params, admin),
          "CANNOT_ADMINISTER_CHANNEL",
        );
      }
    });

    it("the caller's active state", async () => {
      const { id } = await room();
      const admin = await user(scene.db, scene.org.realm, { role: 200 });
      await refusedAfter(
        lockGroups,
        (tx) => tx.rows("UPDATE users SET is_active = false WHERE id = $1", [admin.id]),
        () => patchChannel(scene, id, { description: "x" }, admin),
        "UNAUTHORIZED",
      );
    });

    it("the caller's access to the channel", async () => {
      const { admin, groups } = scene.org;
      for (const params of [
        { is_private: false },
        { can_subscribe_group: { new: groups["role:members"] } },
      ]) {
        const { id } = await room({ inviteOnly: true, subscribers: [admin] });
        await refusedAfter(
          lockGroups,
          (tx) => unsubscribe(tx, [id], [admin.id]),
          () => patchChannel(scene, id, params, admin),
          "BAD_REQUEST",
        );
      }
    });

    it("the channel's privacy", async () => {
      const { id } = await room({ isDefault: false });
      await refusedAfter(
        lockRoom(id),
        (tx) => tx.rows("INSERT INTO default_channels (channel_id) VALUES ($1)", [id]),
        () => patchChannel(scene, id, { is_private: true }),
        "BAD_REQUEST",
      );
    });

    it("the organization's permissions", async () => {
      const { member, realm, groups } = scene.org;
      const { id } = await room();
      const allow = (group: number) => (tx: Tx) =>
        tx.rows("UPDATE realms SET can_create_private_channel_group_id = $2 WHERE id = $1", [
          realm.id,
          group,
        ]);
      await refusedAfter(
        lockGroups,
        allow(groups["role:nobody"]),
        () => patchChannel(scene, id, { is_private: true }, member),
        "BAD_REQUEST",
      );
      await scene.db.transaction(allow(groups["role:members"]));
    });

    it("the value of a permission", async () => {
      const { groups } = scene.org;
      const { id } = await room();
      const value = { new: groups["role:members"], old: groups["role:everyone"] };
      await refusedAfter(
        lockRoom(id),
        setColumn(id, "can_send_message_group_id", groups["role:owners"]),
        () => patchChannel(scene, id, { can_send_message_group: value }),
        "EXPECTATION_MISMATCH",
        { field_name: "old" },
      );
    });

    it("names in use", async () => {
      const { id } = await room();
      const name = unique("wanted");
      const other = await room();
      await refusedAfter(
        lockGroups,
        setColumn(other.id, "name", name),
        () => patchChannel(scene, id, { new_name: name }),
        "CHANNEL_ALREADY_EXISTS",
      );
    });

    it("subscribers: new subscribers get no deletion of the channel", async () => {
      const { id } = await room({ subscribers: [scene.org.member] });
      const newcomer = await user(scene.db, scene.org.realm);
      const stranger = await user(scene.db, scene.org.realm);
      const { events, result } = await eventsOf(scene.db, scene.org.realm.id, () =>
        meanwhile(
          lockRoom(id),
          (tx) => subscribe(tx, [{ channelId: id }], [newcomer.id]),
          () => patchChannel(scene, id, { is_private: true }),
        ),
      );
      expect(result.status).to.equal(200);
      const received = (op: string) => events.find((event) => event.op === op)?.audience ?? [];
      expect(received("update")).to.include(newcomer.id).and.not.include(stranger.id);
      expect(received("delete")).to.include(stranger.id).and.not.include(newcomer.id);
    });
  });

  describe("a concurrent message", () => {
    const only = { topics_policy: "empty_topic_only" };

    it("that is sent first keeps its topic in the channel", async () => {
      const { member } = scene.org;
      const { id, recipientId } = await room({ subscribers: [member] });
      const sent = await send(scene.as(member), toChannel(id, { topic: "" }));
      const answer = await meanwhile(
        (tx) => lockAudiencesShared(tx, [id]),
        (tx) => tx.rows("UPDATE messages SET topic = 'rope' WHERE id = $1", [sent]),
        () => patchChannel(scene, id, only),
      );
      refusedWith(answer);
      expect(recipientId).to.be.above(0);
    });

    it("that is sent second is refused under the new policy", async () => {
      const { member, groups } = scene.org;
      const onlyTopic = { empty_topic_display_name: scene.org.realm.emptyTopicDisplayName };
      const cases: ReadonlyArray<readonly [string, unknown, fields?: object]> = [
        ["topics_policy", "empty_topic_only", onlyTopic],
        ["can_send_message_group_id", groups["role:nobody"]],
        ["invite_only", true],
      ];
      for (const [column, value, fields = {}] of cases) {
        const { id } = await room();
        const answer = await meanwhile(lockRoom(id), setColumn(id, column, value), () =>
          scene.as(member).call(sendMessage, { params: toChannel(id) }),
        );
        refusedWith(answer, "BAD_REQUEST", { ...fields });
      }
    });

    it("never leaves a topic in a channel without topics", async () => {
      const { member } = scene.org;
      for (let round = 0; round < 3; round++) {
        const { id, recipientId } = await room({ subscribers: [member] });
        const sending = Array.from({ length: 6 }, (_, n) =>
          (n % 2 ? scene : second).as(member).call(sendMessage, {
            params: toChannel(id, { topic: `topic ${n}` }),
          }),
        );
        const [{ status }] = await Promise.all([patchChannel(scene, id, only), ...sending]);
        const found = await scene.db.rows(
          "SELECT FROM messages WHERE recipient_id = $1 AND topic <> ''",
          [recipientId],
        );
        const { topics_policy } = await shownChannel(scene, id);
        expect(topics_policy).to.equal(status === 200 ? "empty_topic_only" : "inherit");
        if (status === 200) expect(found).to.deep.equal([]);
        else expect(found).not.to.deep.equal([]);
      }
    });
  });

  describe("concurrent requests over two gateways", () => {
    const both = (id: number, params: ChannelPatch, by: TestAccount = scene.org.admin) =>
      Promise.all(
        [scene, second].map((gateway) =>
          gateway.as(by).call(updateChannel, { path: { stream_id: id }, params }),
        ),
      );

    it("apply once", async () => {
      const { id } = await room({ subscribers: [scene.org.admin] });
      const { events } = await eventsOf(scene.db, scene.org.realm.id, async () => {
        const answers = await both(id, { description: "once", is_private: true });
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      });
      const kinds = events.map(({ type, op }) => `${type}/${op}`);
      expect(kinds.filter((kind) => kind === "stream/update")).to.have.length(2);
      expect(kinds.filter((kind) => kind.startsWith("message"))).to.have.length(2);
      expect(kinds.filter((kind) => kind === "stream/delete")).to.have.length(1);
    });

    it("rename once: the second request finds the new name", async () => {
      const { id } = await room();
      const answers = await both(id, { new_name: unique("once") });
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    });

    it("write nothing the second time", async () => {
      const { id } = await room();
      const params = { description: "again", message_retention_days: 4 };
      await patchedChannel(scene, id, params, scene.org.owner);
      const { tables } = await changesOf(scene.db, () =>
        patchedChannel(scene, id, params, scene.org.owner),
      );
      expect(tables).to.deep.equal([]);
    });

    it("apply one of two values that expect the same old one", async () => {
      const { groups, admin } = scene.org;
      const { id } = await room();
      const old = groups["role:everyone"];
      const values = [groups["role:members"], groups["role:moderators"]];
      const answers = await Promise.all(
        [scene, second].map((gateway, i) =>
          gateway.as(admin).call(updateChannel, {
            path: { stream_id: id },
            params: { can_send_message_group: { new: values[i], old } },
          }),
        ),
      );
      const codes = answers.map(({ body }) => body.code ?? "success");
      expect(codes.sort()).to.deep.equal(["EXPECTATION_MISMATCH", "success"]);
    });

    it("give a name to one channel, including new ones", async () => {
      const { admin } = scene.org;
      for (let round = 0; round < 3; round++) {
        const rooms = [await room(), await room()];
        const name = unique("contested");
        const answers = await Promise.all([
          ...rooms.map(({ id }, i) =>
            (i ? second : scene).as(admin).call(updateChannel, {
              path: { stream_id: id },
              params: { new_name: name.toUpperCase() },
            }),
          ),
          second.as(admin).call(createChannel, { params: { name, subscribers: [] } }),
        ]);
        const statuses = answers.map(({ status }) => status);
        expect(statuses).to.have.members([200, 409, 409]);
      }
    });

    it("list all default channels in the last event", async () => {
      const { admin, realm } = scene.org;
      const rooms = [await room(), await room(), await room()];
      const { events } = await eventsOf(scene.db, realm.id, () =>
        Promise.all(
          rooms.map(({ id }, i) =>
            (i % 2 ? second : scene).as(admin).call(updateChannel, {
              path: { stream_id: id },
              params: { is_default_stream: true },
            }),
          ),
        ),
      );
      const lists = events.map(({ payload }) => payload["default_streams"]);
      expect(lists).to.have.length(3);
      expect(lists.at(-1)).to.include.members(rooms.map(({ id }) => id));
    });
  });
});
