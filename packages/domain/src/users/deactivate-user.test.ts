import { bot, channel, killedAfter, pastMessages, user, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { deactivateUser } from "./deactivate-user.ts";

const options = {
  actions: {
    delete_profile: true,
    delete_public_channel_messages: true,
    delete_private_channel_messages: false,
    delete_direct_messages: false,
  },
  comment: "So long",
};

describe("the deactivation of a user whose process is killed", () => {
  const scene = useScene();
  const { db } = scene;

  it("leaves each account unchanged or completely deactivated, the user last, wherever it is killed, and continues when repeated", async () => {
    const { owner, realm } = scene.org;
    const target = await user(db, realm);
    const bots = [await bot(db, target), await bot(db, target)];
    const accounts = [...bots, target];
    const room = await channel(db, realm, { subscribers: accounts });
    for (const account of accounts) await pastMessages(db, room, account);

    const states = async () => {
      const rows = await db.prisma.user.findMany({
        where: { id: { in: accounts.map(({ id }) => id) } },
        orderBy: { id: "asc" },
        include: { subscriptions: true },
      });
      const deletions = await db.prisma.messageDeletionJob.findMany();
      const lines = await db.prisma.auditLog.findMany({ where: { eventType: "user_deactivated" } });
      const mails = await db.prisma.jobIntent.count({ where: { job: "send-mail" } });
      const works = await db.prisma.jobIntent.count({ where: { job: "delete-messages" } });
      expect(works).to.equal(deletions.length);
      return rows.map(({ id, isActive, fullName, subscriptions }) => ({
        isActive,
        isNamed: !/^(Deleted user|Deactivated bot)$/.test(fullName),
        counts: subscriptions[0]?.isUserActive,
        keepsMessages: !deletions.some(({ userId }) => userId === id),
        isUnwritten: !lines.some(({ modifiedUserId }) => modifiedUserId === id),
        ...(id === target.id ? { isUntold: mails === 0 } : {}),
      }));
    };
    const count = async () =>
      (await db.prisma.channel.findUniqueOrThrow({ where: { id: room.id } })).subscriberCount;

    const seen = new Set<number>();
    for (let kills = 0, killed = true; killed; kills += 4) {
      killed = await killedAfter(db, kills, (own) =>
        deactivateUser(own, owner, target.id, options),
      );
      const found = await states();
      for (const state of found)
        expect(new Set(Object.values(state)), JSON.stringify(state)).to.have.property("size", 1);
      const inactive = found.filter(({ isActive }) => !isActive).length;
      expect(await count()).to.equal(accounts.length - inactive);
      // Ids do not determine the order: the person has a lower id than the bots.
      if (!found[0]?.isActive) expect(inactive).to.equal(accounts.length);
      seen.add(inactive);
    }
    expect([...seen]).to.deep.equal([0, 1, 2, 3]);
  });
});
