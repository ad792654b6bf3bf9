import { getMessages, register } from "@carillon/contract";
import {
  changeOrganization,
  channel,
  channelMessage,
  countQueries,
  crowd,
  failsWithNotice,
  inChannel,
  messagesOf,
  patchedChannel,
  schedule,
  send,
  subscribe,
  toChannel,
  unique,
  user,
  useScene,
  type ChannelOverrides,
  type ChannelPatch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5: how changes of a channel affect its messages.
describe("PATCH /streams/{stream_id}: messages", () => {
  const scene = useScene();
  const room = (overrides?: ChannelOverrides) => channel(scene.db, scene.org.realm, overrides);
  const turnNoticesOff = () =>
    changeOrganization(scene.db, scene.org.realm, { sendChannelEventsMessages: false });
  afterEach(() =>
    changeOrganization(scene.db, scene.org.realm, { sendChannelEventsMessages: true }),
  );

  it("appear under the new name without being rewritten", async () => {
    const { db, org } = scene;
    const { id, recipientId } = await room({ subscribers: [org.member] });
    await send(scene.as(org.member), toChannel(id));
    await send(scene.as(org.member), toChannel(id, { topic: "dinner" }));
    const rows = () =>
      db.rows(
        `SELECT m.*, m.xmin::text, m.ctid::text FROM messages m WHERE recipient_id = $1 ORDER BY id`,
        [recipientId],
      );
    const before = await rows();
    await turnNoticesOff();
    await patchedChannel(scene, id, { new_name: "Refectory", description: "eat" });
    expect(await rows()).to.deep.equal(before);
    const { messages } = await scene.as(org.member).succeed(getMessages, {
      params: { anchor: "newest", num_before: 5, num_after: 0, narrow: inChannel(id) },
    });
    expect(messages.map(({ display_recipient: name }) => name)).to.deep.equal([
      "Refectory",
      "Refectory",
    ]);
    const byName = [{ operator: "channel", operand: "refectory" }];
    expect(await messagesOf(scene.as(org.member), byName)).to.have.length(2);
  });

  it("are readable for exactly the accounts that may read the channel now", async () => {
    const { org, db } = scene;
    const late = await user(db, org.realm);
    const stranger = await user(db, org.realm);
    const { id } = await room({ subscribers: [org.owner] });
    await turnNoticesOff();
    const reads = async (by: TestAccount) => (await messagesOf(scene.as(by), inChannel(id))).length;
    const change = (params: ChannelPatch) => patchedChannel(scene, id, params, org.owner);
    await send(scene.as(org.owner), toChannel(id));
    expect([await reads(stranger), await reads(org.guest)]).to.deep.equal([1, 0]);
    await change({ is_private: true });
    await subscribe(db, id, late);
    await send(scene.as(org.owner), toChannel(id));
    expect([await reads(stranger), await reads(late)]).to.deep.equal([0, 1]);
    await change({ history_public_to_subscribers: true });
    expect([await reads(stranger), await reads(late)]).to.deep.equal([0, 2]);
    await change({ can_subscribe_group: { new: org.groups["role:members"] } });
    expect([await reads(stranger), await reads(org.guest)]).to.deep.equal([2, 0]);
    await change({ is_private: false });
    expect([await reads(stranger), await reads(late)]).to.deep.equal([2, 2]);
  });

  it("stay unread for subscribers after any change of privacy", async () => {
    const { org } = scene;
    const { id } = await room({ subscribers: [org.owner, org.member] });
    const sent = await send(scene.as(org.owner), toChannel(id, { topic: "bells" }));
    await turnNoticesOff();
    for (const is_private of [true, false]) {
      await patchedChannel(scene, id, { is_private }, org.owner);
      const { unread_msgs } = (await scene.as(org.member).succeed(register, {
        params: { event_types: ["message", "update_message_flags"] },
      })) as unknown as { unread_msgs: { streams: unknown[] } };
      expect(unread_msgs.streams).to.deep.include({
        stream_id: id,
        topic: "bells",
        unread_message_ids: [sent],
      });
    }
  });

  describe("scheduled messages fail when they are due", () => {
    const cases: ReadonlyArray<readonly [what: string, params: ChannelPatch, reason: RegExp]> = [
      ["if the channel has become private", { is_private: true }, /do not see it/],
      ["if only others may send", { can_send_message_group: { new: 0 } }, /may not send/],
      ["if the sender may not start topics", { can_create_topic_group: { new: 0 } }, /topic/],
      ["if the channel allows no topics", { topics_policy: "empty_topic_only" }, /one topic/],
    ];
    for (const [what, params, reason] of cases)
      it(what, async () => {
        const { org } = scene;
        const sender = await user(scene.db, org.realm);
        const { id } = await room({ subscribers: [org.owner] });
        const scheduled = await schedule(scene.as(sender), channelMessage(id));
        await turnNoticesOff();
        const nobody = { new: org.groups["role:nobody"] };
        const asked = Object.entries(params).map(([name, value]) => [
          name,
          typeof value === "object" ? nobody : value,
        ]);
        await patchedChannel(scene, id, Object.fromEntries(asked), org.owner);
        const { failureMessage } = await failsWithNotice(scene, sender, scheduled);
        expect(failureMessage).to.match(reason);
      });
  });

  describe("large channels", () => {
    it("answer whether topics exist from the last index entry instead of a scan", async () => {
      const { db, org } = scene;
      const { id } = await room({ subscribers: [org.member] });
      const sent = await send(scene.as(org.member), toChannel(id, { topic: "" }));
      await db.rows(
        `INSERT INTO messages OVERRIDING SYSTEM VALUE
         SELECT (jsonb_populate_record(m, jsonb_build_object('id', nextval('messages_id_seq')))).*
         FROM messages m, generate_series(1, 5000) WHERE m.id = $1`,
        [sent],
      );
      await db.rows("ANALYZE messages, recipients");
      await turnNoticesOff();
      const { statements } = await countQueries(db, () =>
        patchedChannel(scene, id, { topics_policy: "empty_topic_only" }),
      );
      const looking = statements.find((text) => text.includes("lower(m.topic) DESC"));
      const [plan] = await db.rows<{ "QUERY PLAN": [{ Plan: Node }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${looking}`,
        [id],
      );
      expect(rowsTouched(plan?.["QUERY PLAN"][0].Plan)).to.equal(1);
    });

    it("take the same number of statements for any number of subscribers", async () => {
      const { db, org } = scene;
      const counts = [];
      // The first request fills the gateway's cache.
      for (const size of [2, 2, 300]) {
        const people = await crowd(db, org.member, size);
        const { id } = await room({ inviteOnly: true, subscribers: [org.owner, ...people] });
        const params = {
          new_name: unique(`Room for ${size}`),
          description: "d",
          is_private: false,
          message_retention_days: 3,
          can_send_message_group: { new: org.groups["role:members"] },
          can_subscribe_group: { new: org.groups["role:moderators"] },
        };
        const { count } = await countQueries(db, () =>
          patchedChannel(scene, id, params, org.owner),
        );
        counts.push(count);
      }
      expect(counts[2]).to.equal(counts[1]);
    });
  });
});

interface Node {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
}

/** The rows of `messages` that a query plan has read. */
function rowsTouched(node: Node | undefined): number {
  if (!node) return Number.NaN;
  const own =
    node["Relation Name"] === "messages"
      ? node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)
      : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsTouched(child), own);
}
