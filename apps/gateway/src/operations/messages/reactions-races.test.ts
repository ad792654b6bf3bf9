import { addReaction, addSubmessage, deleteMessage, removeReaction } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { restoreMessages } from "@carillon/domain";
import { lockChannels, lockGroupGraph } from "@carillon/model";
import {
  announced,
  channel,
  countWaiting,
  eventsOf,
  react,
  type TestAccount,
  type TestChannel,
  useGateway,
  useScene,
  user,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { post } from "../../test-support/reading-messages.ts";

describe("Reactions and submessages: concurrent changes and deleted messages", () => {
  const scene = useScene();
  const { db } = scene;
  const second = useGateway(db);
  let writer: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;
  let id = 0;

  beforeEach(async () => {
    [writer, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    room = await channel(db, scene.org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [writer, reader],
    });
    await post(scene.gateway, writer, room);
    id = await post(scene.gateway, writer, room);
  });

  const options = (emoji_name: string) => ({ path: { message_id: id }, params: { emoji_name } });
  const add = (by = reader, name = "+1", gateway = scene.gateway) =>
    gateway.as(by).call(addReaction, options(name));
  const take = (by = reader, name = "+1", gateway = scene.gateway) =>
    gateway.as(by).call(removeReaction, options(name));
  const attach = () =>
    scene
      .as(writer)
      .call(addSubmessage, { params: { message_id: id, msg_type: "widget", content: "{}" } });
  const remove = () => second.as(writer).call(deleteMessage, { path: { message_id: id } });
  const rows = async () => ({
    reactions: await db.rows<{ emoji_name: string }>(
      "SELECT * FROM reactions WHERE message_id = $1 ORDER BY id",
      [id],
    ),
    submessages: await db.rows("SELECT * FROM submessages WHERE message_id = $1 ORDER BY id", [id]),
  });
  const codes = (answers: ReadonlyArray<{ body: { code?: unknown } }>) =>
    answers.map(({ body }) => body.code);

  it("are added once, with one event, by two identical requests", async () => {
    for (const [ask, code, op] of [
      [add, "REACTION_ALREADY_EXISTS", "add"],
      [take, "REACTION_DOES_NOT_EXIST", "remove"],
    ] as const) {
      const { result, events } = await eventsOf(db, writer.realmId, () =>
        Promise.all([ask(), ask(reader, "thumbs_up", second)]),
      );
      expect(codes(result)).to.have.members([undefined, code]);
      expect(announced(events).map((event) => [event.type, event.op])).to.deep.equal([
        ["reaction", op],
      ]);
    }
  });

  it("use one emoji name for two concurrent first reactions", async () => {
    await Promise.all([add(reader, "+1"), add(writer, "thumbs_up", second)]);
    const { reactions } = await rows();
    expect(reactions).to.have.length(2);
    expect(new Set(reactions.map(({ emoji_name }) => emoji_name))).to.have.property("size", 1);
  });

  it("leave no row and no later event when the message is deleted", async () => {
    for (let round = 0; round < 4; round++) {
      const { events } = await eventsOf(db, writer.realmId, () =>
        Promise.all([add(), attach(), remove(), add(writer, "car", second)]),
      );
      expect(await rows()).to.deep.equal({ reactions: [], submessages: [] });
      expect(announced(events).at(-1)?.type).to.equal("delete_message");
      id = await post(scene.gateway, writer, room);
    }
  });

  it("are archived and restored with their message", async () => {
    await react(scene.gateway, reader, id, "octopus", "zulip");
    await react(scene.gateway, writer, id, "octopus");
    await attach();
    await attach();
    const before = await rows();
    expect([before.reactions.length, before.submessages.length]).to.deep.equal([3, 2]);
    await remove();
    expect(await rows()).to.deep.equal({ reactions: [], submessages: [] });
    expect(await restoreMessages(db, { channel: room.id })).to.equal(1);
    expect(await rows()).to.deep.equal(before);
  });

  /** Blocks the request on the lock, makes a change meanwhile, and releases the request. */
  async function meanwhile(lock: (tx: Tx) => Promise<unknown>, change: string, value: number) {
    const asked: Array<ReturnType<typeof add>> = [];
    const { events, result } = await eventsOf(db, writer.realmId, async () => {
      await db.transaction(async (tx) => {
        await lock(tx);
        asked.push(add());
        await waitFor(async () => (await countWaiting(db.pool)) === 1, { what: "it waits" });
        await tx.rows(change, [value]);
      });
      return asked[0];
    });
    return { body: result?.body, audiences: events.map(({ audience }) => audience) };
  }
  const leaves = "UPDATE subscriptions SET active = false WHERE user_id = $1";
  const lockRoom = (tx: Tx) => lockChannels(tx, [room.id]);

  it("wait for a change of subscriptions, and are refused or sent to one account less", async () => {
    expect((await meanwhile(lockRoom, leaves, writer.id)).audiences).to.deep.equal([[reader.id]]);
    await take();
    expect((await meanwhile(lockRoom, leaves, reader.id)).body?.msg).to.contain("no such message");
  });

  it("wait for the deactivation of the account, and are refused", async () => {
    const late = await meanwhile(
      (tx) => lockGroupGraph(tx, scene.org.realm.id),
      "UPDATE users SET is_active = false WHERE id = $1",
      reader.id,
    );
    expect([late.body?.code, late.audiences]).to.deep.equal(["UNAUTHORIZED", []]);
  });
});
