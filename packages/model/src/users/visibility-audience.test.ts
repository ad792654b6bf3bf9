import {
  changeOrganization,
  channel,
  crowd,
  directRecipient,
  rowsRead,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  amongBlind,
  loadAccountAudience,
  blindGuests,
  guestsNotSeeing,
  notSeeingAmong,
  seeing,
} from "./visibility-audience.ts";

const many = 400;

// users.md §2.1
describe("the audience of an account's events, with very many guests", () => {
  const scene = useScene();
  const { db } = scene;
  let guests: number[];
  before(async () => {
    const { guest, member, realm } = scene.org;
    guests = (await crowd(db, guest, many)).map(({ id }) => id);
    await channel(db, realm, { subscribers: [member, guest] });
    for (let n = 0; n < 20; n++)
      await directRecipient(db, realm.id, [guest, await user(db, realm)]);
    for (const table of ["users", "subscriptions", "recipients"]) await db.rows(`ANALYZE ${table}`);
  });

  const asked = () => [scene.org.realm.id, scene.org.member.id, true] as const;
  const read = async (table: string) => {
    const ofAll = [seeing, blindGuests].map((one) => rowsRead(db, one, asked(), table));
    const some = rowsRead(db, amongBlind, [...asked(), guests.slice(0, 10)], table);
    return (await Promise.all([...ofAll, some])).map((one) => one.read);
  };

  it("reads no accounts if guests are not restricted", async () => {
    for (const table of ["users", "subscriptions", "recipients"])
      expect(await read(table), table).to.deep.equal([0, 0, 0]);
    const { member } = scene.org;
    expect(await loadAccountAudience(db, member)).to.equal(null);
    expect(await guestsNotSeeing(db, member)).to.deep.equal([]);
    expect(await notSeeingAmong(db, member, guests)).to.deep.equal(new Set());
  });

  it("reads each account a constant number of times if guests are restricted, and only the named ones if named", async () => {
    const { guest, groups, member, realm } = scene.org;
    await changeOrganization(db, realm, { canAccessAllUsersGroupId: groups["role:members"] });
    const [everybody = 0, blind = 0, among] = await read("users");
    const [accounts] = await db.rows<{ count: number }>("SELECT count(*)::int FROM users");
    const most = accounts?.count ?? 0;
    expect(everybody).to.be.at.most(2 * most);
    expect(blind).to.be.at.most(most);
    expect(among).to.be.at.most(10);
    for (const count of await read("recipients")) expect(count).to.be.at.most(most / 4);

    expect(await guestsNotSeeing(db, member)).to.deep.equal(guests);
    const named = [guest.id, member.id, ...guests.slice(0, 3)];
    expect(await notSeeingAmong(db, member, named)).to.deep.equal(new Set(guests.slice(0, 3)));
    const audience = (await loadAccountAudience(db, member)) ?? [];
    expect(JSON.parse(String(audience).replace("{", "[").replace("}", "]")))
      .to.include.members([guest.id, member.id])
      .and.not.to.include.members(guests);
  });
});
