import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { loadAccounts, type Account } from "./account.ts";
import { accountSlices, type AccountFilter } from "./account-slices.ts";

describe("Accounts in slices", () => {
  const db = useDatabase();

  const read = async (realmId: number, filter: AccountFilter) => {
    const slices: Account[][] = [];
    for await (const accounts of accountSlices(db, realmId, filter)) slices.push(accounts);
    return slices;
  };

  it("contain each account once, ordered by id, with the same fields as read one by one", async () => {
    const { realm, member, notificationBot, welcomeBot, schedulingBot } = await organization(db);
    await db.rows(
      `INSERT INTO users (realm_id, delivery_email, email, full_name, api_key_sealed, api_key_digest)
       SELECT $1, a, a, a, '', decode(md5(a), 'hex') FROM generate_series(1, 600) AS i, format('p%s@x.test', i) AS a`,
      [realm.id],
    );
    const slices = await read(realm.id, { systemBots: false, profileData: false });
    expect(slices.map(({ length }) => length)).to.deep.equal([250, 250, 106]);
    const ids = slices.flat().map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)].sort((a, b) => a - b));
    const known = (await loadAccounts(db, realm.id, [member.id])).get(member.id);
    expect(slices.flat().find(({ id }) => id === member.id)).to.deep.include(known);
    const bots = (await read(realm.id, { systemBots: true, profileData: false })).flat();
    expect(bots.map(({ id }) => id)).to.have.members([
      notificationBot.id,
      welcomeBot.id,
      schedulingBot.id,
    ]);
  });

  it("are empty if no ids are given, or the ids belong to another organization", async () => {
    const here = await organization(db);
    const there = await organization(db);
    expect(
      await read(here.realm.id, { ids: [], systemBots: false, profileData: false }),
    ).to.deep.equal([]);
    const ids = [there.member.id];
    expect(await read(here.realm.id, { ids, systemBots: false, profileData: false })).to.deep.equal(
      [],
    );
  });
});
