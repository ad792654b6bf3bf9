import {
  alertWord,
  ascendingIds,
  bot,
  changeSettings,
  channel,
  deactivateUser,
  eventsOf,
  type LoggedEvent,
  muteUser,
  react,
  send,
  type TestAccount,
  toChannel,
  toUsers,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Events of sent messages", () => {
  const scene = useScene();
  const during = async (work: () => Promise<unknown>) => {
    const { events } = await eventsOf(scene.db, scene.org.realm.id, work);
    return events.filter(({ type }) => type === "message");
  };
  const audienceOf = async (work: () => Promise<unknown>) => {
    const [event, ...more] = await during(work);
    expect(more).to.deep.equal([]);
    return event?.audience?.toSorted((a, b) => a - b);
  };
  /** The flags of a receiver: an individual exception, or else the common flags. */
  const flagsOf = (event: LoggedEvent | undefined, account: TestAccount) =>
    (event?.userData?.[String(account.id)]?.["flags"] ?? event?.payload["flags"] ?? []) as string[];

  it("are sent to subscribers only, not to administrators", async () => {
    const { db, org } = scene;
    const { member, guest, owner } = org;
    for (const inviteOnly of [true, false]) {
      const gone = await user(db, org.realm);
      const room = await channel(db, org.realm, { inviteOnly, subscribers: [member, guest, gone] });
      await deactivateUser(db, gone);
      const sent = () => send(scene.as(member), toChannel(room.id));
      expect(await audienceOf(sent)).to.deep.equal(ascendingIds(member, guest));
    }
    const open = await channel(db, org.realm, { subscribers: [guest] });
    const outside = () => send(scene.as(owner), toChannel(open.id));
    expect(await audienceOf(outside), "a sender outside gets none").to.deep.equal([guest.id]);
  });

  it("are sent to the participants of a direct message only", async () => {
    const { member, guest, admin } = scene.org;
    const both = () => send(scene.as(member), toUsers([guest.id, admin.id]));
    expect(await audienceOf(both)).to.deep.equal(ascendingIds(member, guest, admin));
    const note = () => send(scene.as(member), toUsers([member.id]));
    expect(await audienceOf(note)).to.deep.equal([member.id]);
  });

  it("contain the message without fields of a single receiver", async () => {
    const { member, guest } = scene.org;
    const room = await channel(scene.db, scene.org.realm, { subscribers: [member, guest] });
    let id = 0;
    const [event] = await during(
      async () => (id = await send(scene.as(member), toChannel(room.id))),
    );
    const message = event?.payload["message"] as Record<string, unknown>;
    expect(message).to.include({
      id,
      type: "stream",
      stream_id: room.id,
      sender_id: member.id,
      display_recipient: room.name,
      subject: "lunch",
      client: "node",
    });
    for (const key of [
      "flags",
      "edit_history",
      "last_edit_timestamp",
      "match_content",
      "match_subject",
    ]) {
      expect(message).not.to.have.property(key);
    }
  });

  it("contain each receiver's own flags", async () => {
    const { db, org } = scene;
    const [mentioned, grouped, alerted, annoyed, plain] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    await alertWord(db, alerted, "cake");
    await muteUser(db, annoyed, org.member);
    const group = await userGroup(db, org.realm, { members: [grouped] });
    const everyone = [mentioned, grouped, alerted, annoyed, plain, org.member];
    const room = await channel(db, org.realm, { subscribers: everyone });
    const content = `@**${mentioned.fullName}** @*${group.name}* Cake!`;
    const params = toChannel(room.id, { content, read_by_sender: true });
    const [event] = await during(() => send(scene.as(org.member), params));
    expect(flagsOf(event, mentioned)).to.deep.equal(["mentioned"]);
    expect(flagsOf(event, grouped)).to.deep.equal(["mentioned"]);
    expect(flagsOf(event, alerted)).to.deep.equal(["has_alert_word"]);
    expect(flagsOf(event, annoyed)).to.deep.equal(["read"]);
    expect(flagsOf(event, org.member)).to.deep.equal(["read"]);
    expect(flagsOf(event, plain)).to.deep.equal([]);
  });

  it("contain wildcard flags for all subscribers, or for participants of the topic", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member, org.guest, org.admin] });
    await send(scene.as(org.guest), toChannel(room.id));
    const say = (content: string) =>
      during(() => send(scene.as(org.member), toChannel(room.id, { content })));
    const [all] = await say("@**all**");
    const [topic] = await say("@**topic**");
    for (const one of [org.guest, org.admin, org.member]) {
      expect(flagsOf(all, one)).to.include("stream_wildcard_mentioned");
    }
    expect(flagsOf(topic, org.guest)).to.include("topic_wildcard_mentioned");
    expect(flagsOf(topic, org.admin)).not.to.include("topic_wildcard_mentioned");
    // An account that reacts to a message of the topic is a participant.
    const first = await send(scene.as(org.guest), toChannel(room.id, { topic: "LUNCH" }));
    await react(scene.gateway, org.admin, first, "car");
    const [again] = await say("@**topic**");
    expect(flagsOf(again, org.admin)).to.include("topic_wildcard_mentioned");
  });

  it("inform senders and mentioned accounts of their own changed topic policy", async () => {
    const { db, org } = scene;
    const friend = await user(db, org.realm);
    await changeSettings(db, friend, { automatically_follow_topics_where_mentioned: true });
    const room = await channel(db, org.realm, { subscribers: [org.member, friend] });
    const { events } = await eventsOf(db, org.realm.id, () =>
      send(scene.as(org.member), toChannel(room.id, { content: `@**${friend.fullName}**` })),
    );
    const topics = events.filter(({ type }) => type === "user_topic");
    expect(topics.map(({ audience }) => audience)).to.have.deep.members([
      [org.member.id],
      [friend.id],
    ]);
    for (const { payload, op } of topics) {
      expect(op).to.equal(null);
      expect(payload).to.have.all.keys(
        "stream_id",
        "topic_name",
        "visibility_policy",
        "last_updated",
      );
      expect(payload).to.include({ stream_id: room.id, topic_name: "lunch", visibility_policy: 3 });
      expect(payload["last_updated"]).to.satisfy(Number.isInteger);
    }
  });

  it("contain the local_message_id for the requesting queue only, outside the message", async () => {
    const { member, guest } = scene.org;
    const params = toUsers([guest.id], { queue_id: "0f5c-queue", local_id: "17.01" });
    const [event] = await during(() => send(scene.as(member), params));
    expect(JSON.stringify(event?.payload["message"])).not.to.contain("17.01");
    expect(JSON.stringify(event?.userData?.[String(guest.id)] ?? {})).not.to.contain("17.01");
    expect(JSON.stringify(event)).to.contain("17.01").and.to.contain("0f5c-queue");
  });

  it("are not sent for refused messages", async () => {
    const { db, org } = scene;
    const silent = await bot(db, org.member);
    const { id } = await channel(db, org.realm, { isArchived: true });
    expect(
      await during(() => scene.as(silent).post("/api/v1/messages", toChannel(id))),
    ).to.deep.equal([]);
  });
});
