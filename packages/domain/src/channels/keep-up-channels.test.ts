import {
  channel,
  eventsOf,
  pastMessages,
  rowsRead,
  send,
  toChannel,
  useBlocker,
  user,
  useScene,
  type ChannelOverrides,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { quietChannels, keepUpChannels } from "./keep-up-channels.ts";

describe("The activity of channels", () => {
  const scene = useScene();
  const { db } = scene;
  const blocker = useBlocker(db);

  const room = (daysOld: number, over: ChannelOverrides = {}) =>
    channel(db, scene.org.owner, {
      row: { dateCreated: new Date(Date.now() - daysOld * 86_400_000) },
      subscribers: [scene.org.member],
      ...over,
    });
  const past = (made: TestChannel, daysAgo: number) =>
    pastMessages(db, made, scene.org.member, { daysAgo });
  const isActive = async (...rooms: readonly TestChannel[]) => {
    const rows = await db.rows<{ id: number }>(
      "SELECT id FROM channels WHERE id = ANY($1::int[]) AND is_recently_active ORDER BY id",
      [rooms.map(({ id }) => id)],
    );
    const active = new Set(rows.map(({ id }) => id));
    return rooms.map(({ id }) => active.has(id));
  };
  const keepUp = async () => {
    await db.rows("DELETE FROM daily_work");
    await keepUpChannels(db, new AbortController().signal);
  };
  const eventsDuring = async (work: () => Promise<unknown>) =>
    (await eventsOf(db, scene.org.realm.id, work)).events
      .filter(({ payload }) => payload["property"] === "is_recently_active")
      .map(({ payload, audience }) => [payload["stream_id"], payload["value"], audience]);

  it("ends after 180 days without a message, with one event to accounts that can see the channel", async () => {
    const { owner, admin, member } = scene.org;
    const secret = await room(400, { inviteOnly: true });
    const [busy, never, young, archived] = [
      await room(400),
      await room(181),
      await room(179),
      await room(400, { isArchived: true }),
    ];
    await past(secret, 181);
    await past(busy, 181);
    await past(busy, 179);
    const events = await eventsDuring(keepUp);
    expect(await isActive(secret, busy, never, young, archived)).to.deep.equal([
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(events.map(([id, value]) => [id, value])).to.deep.equal([
      [secret.id, false],
      [never.id, false],
    ]);
    expect(events[0]?.[2]).to.have.members([owner.id, admin.id, member.id]);
    expect(await eventsDuring(keepUp)).to.deep.equal([]);
  });

  it("resumes with the next message, with one event to accounts that can see the channel", async () => {
    const quiet = await room(400, { inviteOnly: true });
    await past(quiet, 300);
    await keepUp();
    const sender = scene.as(scene.org.member);
    const events = await eventsDuring(async () => {
      await send(sender, toChannel(quiet.id));
      await send(sender, toChannel(quiet.id));
    });
    const { owner, admin, member } = scene.org;
    expect(events.map(([id, value]) => [id, value])).to.deep.equal([[quiet.id, true]]);
    expect(events[0]?.[2]).to.have.members([owner.id, admin.id, member.id]);
    expect(await isActive(quiet)).to.deep.equal([true]);
  });

  it("resumes once if two accounts send at the same time", async () => {
    const quiet = await room(400);
    await past(quiet, 300);
    await keepUp();
    const others = [scene.org.member, await user(db, scene.org.realm)];
    const events = await eventsDuring(() =>
      Promise.all(others.map((account) => send(scene.as(account), toChannel(quiet.id)))),
    );
    expect(events).to.have.lengthOf(1);
  });

  it("does not end while a message is being sent", async () => {
    const quiet = await room(400);
    await past(quiet, 181);
    await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [quiet.realmId]);
    const sending = send(scene.as(scene.org.member), toChannel(quiet.id));
    await blocker.untilWaiting(1, "the message waits for its commit");
    const keeping = keepUp();
    await blocker.untilWaiting(2, "the upkeep waits for the message");
    await blocker.release();
    await Promise.all([sending, keeping]);
    expect(await isActive(quiet)).to.deep.equal([true]);
  });

  it("is computed with one lookup for each channel, however many messages there are", async () => {
    const rooms = [await room(400), await room(400), await room(400)];
    for (const made of rooms)
      await pastMessages(db, made, scene.org.member, { count: 4_000, daysAgo: 1, holders: [] });
    await db.rows("ANALYZE messages, recipients, channels");
    const values = [scene.org.realm.id, 100, null];
    const { read } = await rowsRead(db, quietChannels, values, "messages");
    const channels = await db.rows("SELECT FROM channels");
    expect(read).to.be.within(1, channels.length);
  });
});
