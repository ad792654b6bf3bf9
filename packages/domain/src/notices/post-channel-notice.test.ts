import { loadRealm } from "@carillon/model";
import { notice, paragraph, silentUser } from "@carillon/markdown";
import {
  changeOrganization,
  channel,
  countQueries,
  inChannel,
  messagesOf,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { postChannelNotices } from "./post-channel-notice.ts";

describe("Notices in channels (channels.md §9)", () => {
  const scene = useScene();
  const said = () => notice(paragraph`${silentUser(scene.org.member)} did something.`);

  /** Posts one notice in each channel, and returns their events. */
  const post = async (rooms: readonly TestChannel[], received = said()) => {
    const realm = await loadRealm(scene.db, scene.org.realm.id);
    return scene.db.transaction((tx) =>
      postChannelNotices(
        tx,
        realm,
        scene.org.member,
        rooms.map(({ id }) => ({ channelId: id, notice: received })),
      ),
    );
  };
  const read = (room: TestChannel, by = scene.org.owner) =>
    messagesOf(scene.as(by), inChannel(room.id));

  it("come from the notification bot, read for the actor and unread for the others", async () => {
    const { owner, member, notificationBot } = scene.org;
    const room = await channel(scene.db, owner, { subscribers: [owner, member] });
    const [event] = await post([room]);
    expect(event?.audience).to.equal(`{${[owner.id, member.id].sort((a, b) => a - b).join(",")}}`);
    const [message, ...more] = await read(room);
    expect(more).to.deep.equal([]);
    expect(message).to.deep.include({
      sender_id: notificationBot.id,
      subject: "channel events",
      content: `@_**${member.fullName}|${member.id}** did something.`,
      flags: [],
    });
    expect((await read(room, member))[0]?.flags).to.deep.equal(["read"]);
  });

  it("are posted in archived channels too, and in the empty topic if it is the only one", async () => {
    const { owner } = scene.org;
    const options = { subscribers: [owner], topicsPolicy: "empty_topic_only" };
    const quiet = await channel(scene.db, owner, options);
    const archived = await channel(scene.db, owner, { subscribers: [owner], isArchived: true });
    await post([quiet, archived]);
    expect((await read(quiet)).map(({ subject }) => subject)).to.deep.equal([""]);
    expect((await read(archived)).map(({ subject }) => subject)).to.deep.equal(["channel events"]);
  });

  it("are not posted if the organization turns them off", async () => {
    const room = await channel(scene.db, scene.org.owner, { subscribers: [scene.org.owner] });
    await changeOrganization(scene.db, scene.org.realm, { sendChannelEventsMessages: false });
    expect(await post([room])).to.deep.equal([]);
    await changeOrganization(scene.db, scene.org.realm, { sendChannelEventsMessages: true });
    expect(await read(room)).to.deep.equal([]);
  });

  it("need as many statements for 50 channels as for two", async () => {
    const rooms: TestChannel[] = [];
    for (let i = 0; i < 50; i++) rooms.push(await channel(scene.db, scene.org.owner));
    const few = await countQueries(scene.db, () => post(rooms.slice(0, 2)));
    const many = await countQueries(scene.db, () => post(rooms));
    expect(many.count, many.statements.join("\n")).to.equal(few.count);
  });
});
