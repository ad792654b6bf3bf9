import { accessWorld, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { loadMemberships } from "../permissions/memberships.ts";
import { SqlValues } from "../sql-values.ts";
import { hasContentAccess } from "./access.ts";
import { channelReadable } from "./access-sql.ts";
import { loadContentAudiences } from "./audiences.ts";

describe("content access in SQL, as a condition and as an audience", () => {
  const db = useDatabase();

  it("agrees with hasContentAccess for every kind of channel and role", async () => {
    const { org, people, away, rooms } = await accessWorld(db);
    await db.rows(
      "UPDATE subscriptions SET active = false WHERE user_id = $1 AND channel_id % 2 = 0",
      [org.member.id],
    );

    const channels = await db.prisma.channel.findMany({ include: { subscriptions: true } });
    expect(channels).to.have.length(rooms.length);
    const memberships = await loadMemberships(
      db,
      people.map(({ id }) => id),
    );
    const audiences = await loadContentAudiences(
      db,
      org.realm.id,
      channels.map(({ id }) => id),
    );
    const isInAudience = (channelId: number, userId: number) =>
      audiences.get(channelId)?.includes(userId) ?? audiences.has(channelId);
    for (const person of people) {
      const values = new SqlValues();
      const readable = await db.rows<{ id: number }>(
        `SELECT c.id FROM channels c WHERE ${channelReadable(person)(values)} ORDER BY c.id`,
        values.list,
      );
      const expected = channels.filter((each) => {
        const subscribed = each.subscriptions.some((s) => s.userId === person.id && s.active);
        return hasContentAccess(person, each, memberships, subscribed);
      });
      expect(
        readable.map(({ id }) => id),
        `role ${person.role}`,
      ).to.deep.equal(expected.map(({ id }) => id).sort((a, b) => a - b));
      const among = channels.filter(({ id }) => isInAudience(id, person.id));
      expect(among, `audience with role ${person.role}`).to.deep.equal(expected);
    }
    const lists = [...audiences.values()].filter((list) => list !== undefined);
    expect(lists.length).to.be.within(20, 49);
    const never = [away.id, org.notificationBot.id, org.welcomeBot.id];
    expect(lists.flat()).not.to.include.members(never);
    for (const list of lists) expect(list).to.deep.equal(list.toSorted((a, b) => a - b));
  });
});
