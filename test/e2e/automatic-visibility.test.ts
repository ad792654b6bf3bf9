import {
  changeSettings,
  changeSubscription,
  channel,
  channelMessage,
  deactivateUser,
  deliverNow,
  eventsSince,
  lastEventSeq,
  schedule,
  send,
  sendFully,
  setTopicPolicy,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  topicPolicy,
  toUsers,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const { muted, unmuted, followed } = topicPolicy;
/** The values of both settings. */
const [participates, sends, starts, never] = [1, 2, 3, 4];
const everyWay = ["sent", "delivered"] as const;

for (const way of everyWay) {
  describe(`The topic policy after a message is ${way}`, () => {
    const scene = useScene();
    let sender: TestAccount;
    let other: TestAccount;
    let room: TestChannel;

    beforeEach(async () => {
      sender = await user(scene.db, scene.org.realm);
      other = scene.org.admin;
      room = await channel(scene.db, scene.org.realm, { subscribers: [sender, other] });
    });

    const policyOf = async (account: { readonly id: number }, topic = "lunch") => {
      const rows = await scene.db.rows<{ policy: number }>(
        `SELECT visibility_policy AS policy FROM user_topics
         WHERE user_id = $1 AND channel_id = $2 AND lower(topic) = lower($3)`,
        [account.id, room.id, topic],
      );
      return rows[0]?.policy;
    };
    const settings = (follow: number | undefined, unmute: number | undefined) =>
      changeSettings(scene.db, sender, {
        automatically_follow_topics_policy: follow,
        automatically_unmute_topics_in_muted_streams_policy: unmute,
      });
    const muteChannel = () => changeSubscription(scene.db, room, sender, { isMuted: true });
    const say = (account: TestAccount, topic = "lunch") =>
      send(scene.as(account), toChannel(room.id, { topic }));

    /** Sends or delivers the message, and expects the sender's policy, reported only if it is new. */
    const leaves = async (expected: number | undefined, changed: boolean, content = "hello") => {
      const over = { content };
      if (way === "sent") {
        const answer = await sendFully(scene.as(sender), toChannel(room.id, over));
        expect(answer.automatic_new_visibility_policy).to.equal(changed ? expected : undefined);
      } else {
        const id = await schedule(scene.as(sender), channelMessage(room.id, over));
        const before = await policyOf(sender);
        await deliverNow(scene.db, scene.org.realm, [id]);
        expect((await policyOf(sender)) !== before).to.equal(changed);
      }
      expect(await policyOf(sender)).to.equal(expected);
    };

    it("becomes followed for the starter by default", () => leaves(followed, true));

    it("is unchanged by default for a participant who did not start the topic", async () => {
      await say(other);
      await leaves(undefined, false);
    });

    it("remains followed", async () => {
      await setTopicPolicy(scene.db, sender, room, "LUNCH", "followed");
      await leaves(followed, false);
    });

    for (const follow of [participates, sends]) {
      it(`becomes followed for a participant with the setting ${follow}`, async () => {
        await settings(follow, undefined);
        await say(other);
        await leaves(followed, true);
      });

      it(`is raised to followed from any other with the setting ${follow}`, async () => {
        await settings(follow, undefined);
        await setTopicPolicy(scene.db, sender, room, "lunch", "unmuted");
        await leaves(followed, true);
      });
    }

    it("does not become followed with the setting never", async () => {
      await settings(never, undefined);
      await leaves(undefined, false);
    });

    for (const policy of ["muted", "unmuted"] as const) {
      it(`is not set for the starter of a topic that is already ${policy}`, async () => {
        await settings(starts, never);
        await setTopicPolicy(scene.db, sender, room, "lunch", policy);
        await leaves(policy === "muted" ? muted : unmuted, false);
      });
    }

    it("treats topics that differ in case as one topic", async () => {
      await say(other, "LUNCH");
      await leaves(undefined, false);
    });

    it("treats a topic as new if the sender cannot read its messages", async () => {
      room = await channel(scene.db, scene.org.realm, { inviteOnly: true, subscribers: [other] });
      await say(other);
      await subscribe(scene.db, room, sender);
      await leaves(followed, true);
    });

    it("does not become unmuted outside muted channels", async () => {
      await settings(never, sends);
      await leaves(undefined, false);
    });

    for (const unmute of [participates, sends]) {
      it(`becomes unmuted in a muted channel for a participant with the setting ${unmute}`, async () => {
        await settings(never, unmute);
        await muteChannel();
        await say(other);
        await leaves(unmuted, true);
      });
    }

    it("becomes unmuted in a muted channel for a participant by default", async () => {
      await muteChannel();
      await say(other);
      await leaves(unmuted, true);
    });

    it("becomes unmuted in a muted channel for the starter with the setting for started topics", async () => {
      await settings(never, starts);
      await muteChannel();
      await leaves(unmuted, true);
      await leaves(unmuted, false);
    });

    it("is unchanged in a muted channel for other participants with the setting for started topics", async () => {
      await settings(never, starts);
      await muteChannel();
      await say(other);
      await leaves(undefined, false);
    });

    it("is unchanged in a muted channel with the setting never", async () => {
      await settings(never, never);
      await muteChannel();
      await leaves(undefined, false);
    });

    it("becomes followed instead of unmuted if both apply", async () => {
      await settings(sends, sends);
      await muteChannel();
      await leaves(followed, true);
    });

    it("becomes followed for mentioned accounts, unless they muted the topic", async () => {
      const { db } = scene;
      const keen = await user(db, scene.org.realm);
      const tired = await user(db, scene.org.realm);
      const cool = await user(db, scene.org.realm);
      const silent = await user(db, scene.org.realm);
      for (const [one, on] of [
        [keen, true],
        [tired, true],
        [cool, false],
        [silent, true],
      ] as const) {
        await subscribe(db, room, one);
        await changeSettings(db, one, { automatically_follow_topics_where_mentioned: on });
      }
      await setTopicPolicy(db, tired, room, "lunch", "muted");
      const named = [keen, tired, cool].map(({ fullName }) => `@**${fullName}**`).join(" ");
      await leaves(followed, true, `${named} @_**${silent.fullName}** @**all**`);
      const policies = [keen, tired, cool, silent].map((one) => policyOf(one));
      expect(await Promise.all(policies)).to.deep.equal([followed, muted, undefined, undefined]);
    });

    it("is unchanged for accounts that do not receive the message, mentioned or not", async () => {
      const { db, org } = scene;
      const outsider = await user(db, org.realm);
      room = await channel(db, org.realm, { subscribers: [sender], inviteOnly: true });
      const seq = await lastEventSeq(db, org.realm.id);
      await leaves(followed, true, `@**${outsider.fullName}**`);
      expect(await policyOf(outsider)).to.equal(undefined);
      const received = (await eventsSince(db, org.realm.id, seq)).filter(
        ({ audience }) => audience?.includes(outsider.id) ?? true,
      );
      expect(received).to.deep.equal([]);
    });

    it("is unchanged for bots", async () => {
      const talker = scene.org.bot;
      const id = await schedule(scene.as(talker), channelMessage(room.id));
      if (way === "sent") await send(scene.as(talker), toChannel(room.id));
      else await deliverNow(scene.db, scene.org.realm, [id]);
      expect(await policyOf(talker)).to.equal(undefined);
    });
  });
}

describe("Automatic topic policies", () => {
  const scene = useScene();

  it("do not apply to direct messages", async () => {
    const answer = await sendFully(scene.as(scene.org.member), toUsers([scene.org.guest.id]));
    expect(answer).not.to.have.property("automatic_new_visibility_policy");
  });

  it("follow the order of delivery: the first message starts the topic", async () => {
    const { db, org } = scene;
    const [first, second] = [await user(db, org.realm), await user(db, org.realm)];
    const { id } = await channel(db, org.realm, { subscribers: [first, second] });
    const ids = [
      await schedule(scene.as(first), channelMessage(id)),
      await schedule(scene.as(second), channelMessage(id)),
    ];
    await deliverNow(db, org.realm, ids);
    const rows = await db.rows<object>(
      `SELECT user_id AS "userId", visibility_policy AS policy FROM user_topics WHERE channel_id = $1`,
      [id],
    );
    expect(rows).to.deep.equal([{ userId: first.id, policy: followed }]);
  });

  it("are not set by a message that fails", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    const { id } = await channel(db, org.realm, { subscribers: [friend] });
    const row = await schedule(scene.as(friend), channelMessage(id));
    await deactivateUser(db, friend);
    await deliverNow(db, org.realm, [row]);
    const rows = await db.rows<object>("SELECT FROM user_topics WHERE channel_id = $1", [id]);
    expect(rows).to.deep.equal([]);
  });
});
