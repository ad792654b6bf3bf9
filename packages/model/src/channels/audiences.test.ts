import { bot, channel, organization, useDatabase, user, userGroup } from "@carillon/testkit";
import { expect } from "chai";

import { loadAudienceShift, loadMetadataAudience, loadMetadataAudiences } from "./audiences.ts";

const idsOf = (text: string): number[] => JSON.parse(text.replace("{", "[").replace("}", "]"));

describe("the audience of one channel", () => {
  const db = useDatabase();

  it("agrees with loadMetadataAudiences for every kind of channel", async () => {
    const org = await organization(db);
    const other = await organization(db);
    const inGroup = await user(db, org.realm);
    const guestInGroup = await user(db, org.realm, { role: 600 });
    const away = await user(db, org.realm, { isActive: false });
    const people = [org.owner, org.member, org.guest, await bot(db, org.member)];
    const team = await userGroup(db, org.realm, { members: [inGroup, guestInGroup, away] });
    const around = await userGroup(db, org.realm, { subgroups: [team.id] });
    await channel(db, other.owner, { isWebPublic: true });

    const kinds = [{}, { isWebPublic: true }, { isArchived: true }, { inviteOnly: true }];
    const groups = [
      {},
      { canSubscribeGroupId: team.id },
      { canAddSubscribersGroupId: around.id },
      { canAdministerChannelGroupId: org.groups["role:everyone"] },
    ];
    const ids: number[] = [];
    for (const kind of kinds)
      for (const permissions of groups)
        for (const subscribers of [[], [...people, away]])
          ids.push(
            (await channel(db, org.realm, { ...kind, groups: permissions, subscribers })).id,
          );
    const leaver = org.member.id;
    await db.rows(
      "UPDATE subscriptions SET active = false WHERE user_id = $1 AND channel_id % 2 = 0",
      [leaver],
    );
    await db.rows("UPDATE subscriptions SET is_user_active = false WHERE user_id = $1", [away.id]);

    const all = await loadMetadataAudiences(db, org.realm.id, ids);
    const sizes = new Set<number>();
    for (const id of ids) {
      const expected = [...(all.get(id) ?? [])].sort((a, b) => a - b);
      const found = idsOf(await loadMetadataAudience(db, org.realm.id, id));
      expect(found, `channel ${id}`).to.deep.equal(expected);
      sizes.add(found.length);
    }
    expect(sizes.size).to.be.above(4);
    expect(await loadMetadataAudience(db, other.realm.id, ids[0] ?? 0)).to.equal("{}");
  });

  it("is compared with a previous audience", async () => {
    const org = await organization(db);
    const { id } = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.member] });
    const before = await loadMetadataAudience(db, org.realm.id, id);
    const shift = async (from: string) => {
      const { staying, gained, lost } = await loadAudienceShift(db, org.realm.id, id, from);
      return [idsOf(staying), idsOf(gained), idsOf(lost)];
    };
    const now = [org.owner.id, org.admin.id, org.member.id];
    expect(await shift(before)).to.deep.equal([now, [], []]);
    expect(await shift("{}")).to.deep.equal([[], now, []]);
    const others = `{${org.guest.id},${org.admin.id}}`;
    expect(await shift(others)).to.deep.equal([
      [org.admin.id],
      [org.owner.id, org.member.id],
      [org.guest.id],
    ]);
  });
});
