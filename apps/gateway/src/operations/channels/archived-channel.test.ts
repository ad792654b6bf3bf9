import { archiveChannel, getChannel, listChannels, type ChannelObject } from "@carillon/contract";
import {
  changeChannel,
  channel,
  channelMessage,
  deliverNow,
  failsWithNotice,
  refused,
  schedule,
  scheduleRefused,
  sendRefused,
  storedRow,
  subscribe,
  type TestAccount,
  type TestChannel,
  toChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const able = { client_capabilities: { archived_channels: true } };

describe("An archived channel", () => {
  const scene = useScene();

  const at = (id: number) => ({ path: { stream_id: id } });
  const archived = (room: { id: number }, by: TestAccount = scene.org.owner) =>
    scene.as(by).succeed(archiveChannel, at(room.id));

  describe("is", () => {
    let room: TestChannel;
    before(async () => {
      const { db, org } = scene;
      room = await channel(db, org.member, { subscribers: [org.member, org.guest] });
      await archived(room);
    });

    it("listed with its subscribers if archived channels are requested", async () => {
      const { streams } = await scene.as(scene.org.member).succeed(listChannels, {
        params: { exclude_archived: false },
      });
      const found = streams.find((each: ChannelObject) => each.stream_id === room.id);
      expect(found).to.include({ is_archived: true, subscriber_count: 2, name: room.name });
      await refused(scene.db, () => scene.as(scene.org.member).call(getChannel, at(room.id)));
    });

    it("in the snapshots of clients that know archived channels only", async () => {
      const snapshot = async (params: object) => {
        const client = scene.as(scene.org.member);
        const { body } = await client.post("/api/v1/register", {
          fetch_event_types: ["stream", "subscription"],
          ...params,
        });
        const lists = ["streams", "subscriptions"].map((name) => body[name] as ChannelObject[]);
        return lists.map((list) => list.some(({ stream_id }) => stream_id === room.id));
      };
      expect(await snapshot(able)).to.deep.equal([true, true]);
      expect(await snapshot({})).to.deep.equal([false, false]);
    });

    it("closed to sending, scheduling and typing, also for its administrators", async () => {
      const { org, db } = scene;
      await subscribe(db, room.id, org.owner);
      for (const by of [org.member, org.guest, org.owner]) {
        await sendRefused(scene, by, toChannel(room.id));
        await sendRefused(scene, by, toChannel(room.name));
        await scheduleRefused(scene, by, channelMessage(room.id));
        const typing = { type: "channel", op: "start", stream_id: room.id, topic: "lunch" };
        await refused(db, () => scene.as(by).post("/api/v1/typing", typing));
      }
    });
  });

  it("fails scheduled messages when they are due and notifies the sender", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const id = await schedule(scene.as(org.member), channelMessage(room.id));
    await archived(room);
    const row = await failsWithNotice(scene, org.member, id);
    expect(row.failureMessage).to.contain("archived");
  });

  it("receives scheduled messages if it is unarchived before they are due", async () => {
    const { db, org } = scene;
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const id = await schedule(scene.as(org.member), channelMessage(room.id));
    await archived(room);
    await changeChannel(db, room.id, { isArchived: false });
    await deliverNow(db, org.realm, [id]);
    expect(await storedRow(db, id)).to.include({ delivered: true, failed: false });
  });
});
