import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  changeChannel,
  channel,
  organization,
  pastMessages,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  unsubscribe,
  useDatabase,
  useBlocker,
} from "@carillon/testkit";
import { expect } from "chai";

import { lockMessageAudience, lockMessageAndReceivers } from "./lock-message.ts";

describe("A message locked for a change", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let room: TestChannel;
  let id = 0;

  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.realm, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [org.member],
    });
    [id = 0] = await pastMessages(db, room, org.member);
  });

  type Taking = typeof lockMessageAndReceivers;
  const taken = (take: Taking, by: TestAccount) => db.transaction((tx: Tx) => take(tx, by, id));
  const refusal = async (work: Promise<unknown>) =>
    work.then(
      () => expect.fail("it went on"),
      (error: unknown) => {
        expect(error).to.be.instanceOf(ApiError);
        return (error as ApiError).message;
      },
    );

  it("is returned with its channel and the actor in their current state", async () => {
    for (const take of [lockMessageAudience, lockMessageAndReceivers]) {
      const { actor, message } = await taken(take, org.member);
      expect(actor).to.include({ id: org.member.id, isActive: true });
      expect(message).to.include({ id, channelId: room.id });
      expect(message.channel).to.include({ id: room.id, subscribed: true });
    }
  });

  it("is not locked for an account that cannot see it", async () => {
    await blocker.lock("SELECT FROM messages WHERE id = $1 FOR UPDATE", [id]);
    expect(await refusal(taken(lockMessageAndReceivers, org.admin))).to.contain("no such message");
  });

  it("is rejected in an archived channel", async () => {
    await changeChannel(db, room, { isArchived: true });
    for (const take of [lockMessageAudience, lockMessageAndReceivers])
      expect(await refusal(taken(take, org.member))).to.contain("archived");
  });

  it("is locked exclusively by one transaction, and held by several", async () => {
    await blocker.lock("SELECT FROM messages WHERE id = $1 FOR NO KEY UPDATE", [id]);
    await taken(lockMessageAudience, org.member);
    const second = taken(lockMessageAndReceivers, org.member);
    await blocker.untilWaiting(1, "the second waits for the first");
    await blocker.release();
    expect((await second).message).to.include({ id });
  });

  /** Wraps the transaction so that something happens concurrently before its first lock. */
  function meddledWith(tx: Tx, meddle: () => Promise<unknown>): Tx {
    let done: Promise<unknown> | undefined;
    return new Proxy(tx, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== "function") return member;
        if (key !== "lock") return member.bind(target);
        return async (...given: unknown[]) => {
          await (done ??= meddle());
          return member.apply(target, given);
        };
      },
    });
  }

  it("is checked again after locking: it may be deleted, or its reader unsubscribed", async () => {
    for (const change of [
      () => db.rows("DELETE FROM messages WHERE id = $1", [id]),
      () => unsubscribe(db, room, org.member),
    ]) {
      const work = db.transaction((tx) =>
        lockMessageAndReceivers(meddledWith(tx, change), org.member, id),
      );
      expect(await refusal(work)).to.contain("no such message");
      [id = 0] = await pastMessages(db, room, org.member);
    }
  });

  it("is found in the channel to which it was moved meanwhile", async () => {
    const other = await channel(db, org.realm, { subscribers: [org.member] });
    const move = () =>
      db.rows("UPDATE messages SET recipient_id = $2 WHERE id = $1", [id, other.recipientId]);
    let attempts = 0;
    const { message } = await db.transaction((tx) => {
      attempts += 1;
      return lockMessageAndReceivers(meddledWith(tx, move), org.member, id);
    });
    expect(message).to.include({ channelId: other.id });
    expect(attempts).to.equal(2);
  });
});
