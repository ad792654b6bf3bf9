import { deleteMessage, updateMessageFlags } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { lockChannels, lockGroupGraph } from "@carillon/model";
import {
  announced,
  channel,
  changesOf,
  countWaiting,
  eventsOf,
  subscribe,
  type TestAccount,
  type TestChannel,
  useGateway,
  useScene,
  user,
  userGroup,
  changeChannel,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags } from "../../test-support/reading-messages.ts";

// docs/decisions/012, 018: the second request sees the changes of the first.
describe("DELETE /messages/{message_id}: concurrent changes", () => {
  const scene = useScene();
  const { db } = scene;
  const second = useGateway(db);
  let writer: TestAccount;
  let reader: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    [writer, reader] = [await user(db, scene.org.realm), await user(db, scene.org.realm)];
    room = await channel(db, scene.org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [writer, reader],
    });
    // The channel's first message, so that the tests delete later ones.
    await post(scene.gateway, writer, room);
  });

  const remove = (by: TestAccount, message_id: number, gateway = scene.gateway) =>
    gateway.as(by).call(deleteMessage, { path: { message_id } });
  const flag = (op: string, name: string, ids: readonly number[], by = reader) =>
    second.as(by).call(updateMessageFlags, { params: { op, flag: name, messages: ids } });
  const copies = (ids: readonly number[]) =>
    db.rows("SELECT FROM user_messages WHERE message_id = ANY($1::bigint[])", [ids]);

  /** Blocks the deletion on the lock, makes a change meanwhile, and releases it. */
  async function meanwhile(
    lock: (tx: Tx) => Promise<unknown>,
    change: (tx: Tx) => Promise<unknown>,
    ask: () => ReturnType<typeof remove>,
  ) {
    let asked: ReturnType<typeof remove> | undefined;
    await db.transaction(async (tx) => {
      await lock(tx);
      asked = ask();
      await waitFor(async () => (await countWaiting(db.pool)) === 1, { what: "it waits" });
      await change(tx);
    });
    if (!asked) throw new Error("nothing was asked");
    return (await asked).body;
  }

  it("deletes once, with one event, when two gateways delete the message", async () => {
    for (let round = 0; round < 5; round++) {
      const id = await post(scene.gateway, writer, room);
      const { result, events } = await eventsOf(db, writer.realmId, () =>
        Promise.all([remove(writer, id), remove(writer, id, second)]),
      );
      expect(result.map(({ body }) => body.code)).to.have.members(["BAD_REQUEST", undefined]);
      expect(announced(events).map(({ type }) => type)).to.deep.equal(["delete_message"]);
    }
  });

  it("leaves no copy when flags are changed, and sends no flag event after the deletion", async () => {
    for (const [op, name] of [
      ["add", "read"],
      ["add", "starred"],
      ["remove", "read"],
    ] as const) {
      const ids: number[] = [];
      for (let n = 0; n < 3; n++) ids.push(await post(scene.gateway, writer, room));
      if (op === "remove") await setFlags(db, reader, 1, ...ids);
      const { result, events } = await eventsOf(db, writer.realmId, () =>
        Promise.all([flag(op, name, ids), ...ids.map((id) => remove(writer, id))]),
      );
      const [flagged, ...removed] = result;
      for (const { body } of removed) expect(body).to.include({ result: "success" });
      expect(flagged?.body.code).to.be.oneOf([undefined, "BAD_REQUEST"]);
      expect(await copies(ids)).to.deep.equal([]);
      const gone = new Set<number>();
      for (const { type, payload } of events) {
        if (type === "delete_message") gone.add((payload["message_ids"] as number[])[0] ?? 0);
        else for (const id of payload["messages"] as number[]) expect(gone.has(id)).to.equal(false);
      }
    }
  });

  it("is refused if the permission is revoked meanwhile", async () => {
    const group = await userGroup(db, scene.org.realm, { members: [reader] });
    await changeChannel(db, room, { canDeleteAnyMessageGroupId: group.id });
    const id = await post(scene.gateway, writer, room);
    const { result, tables } = await changesOf(db, () =>
      meanwhile(
        (tx) => lockGroupGraph(tx, scene.org.realm.id),
        (tx) => tx.rows("DELETE FROM user_group_member WHERE group_id = $1", [group.id]),
        () => remove(reader, id),
      ),
    );
    expect(result.msg).to.contain("may not delete");
    expect(tables).to.deep.equal(["user_group_member"]);
  });

  it("is refused if the caller's subscription or the channel ends meanwhile", async () => {
    const id = await post(scene.gateway, writer, room);
    const lock = (tx: Tx) => lockChannels(tx, [room.id]);
    const gone = await meanwhile(
      lock,
      (tx) =>
        tx.rows("UPDATE subscriptions SET active = false WHERE channel_id = $1 AND user_id = $2", [
          room.id,
          writer.id,
        ]),
      () => remove(writer, id),
    );
    expect(gone.msg).to.contain("no such message");
    await subscribe(db, room, writer);
    const archived = await meanwhile(
      lock,
      (tx) => tx.rows("UPDATE channels SET is_archived = true WHERE id = $1", [room.id]),
      () => remove(writer, id),
    );
    expect(archived.msg).to.contain("archived");
    expect(await copies([id])).to.have.length(2);
  });

  it("is refused if the caller is deactivated meanwhile", async () => {
    const id = await post(scene.gateway, writer, room);
    const late = await meanwhile(
      (tx) => lockGroupGraph(tx, scene.org.realm.id),
      (tx) => tx.rows("UPDATE users SET is_active = false WHERE id = $1", [writer.id]),
      () => remove(writer, id),
    );
    expect(late.code).to.equal("UNAUTHORIZED");
    expect(await copies([id])).to.have.length(2);
  });
});
