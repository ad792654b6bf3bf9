import {
  bot,
  channel,
  deactivateUser,
  organization,
  pastMessages,
  subscribe,
  type TestAccount,
  type TestOrganization,
  unsubscribe,
  useDatabase,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

import { accessMessages } from "./access.ts";
import { loadMessageAudience } from "./message-audience.ts";

// events.md §4: holders of the message and current subscribers, as far as they can read it.
describe("The audience of a message's events", () => {
  const db = useDatabase();
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const kinds = {
    public: {},
    "web-public": { isWebPublic: true },
    "private with shared history": { inviteOnly: true, historyPublicToSubscribers: true },
    "private with protected history": { inviteOnly: true },
  } as const;
  /** Whether an account has received the message, is subscribed now, and has a historical copy. */
  const lots = [
    { received: true, subscribed: true },
    { received: true, subscribed: false },
    { received: false, subscribed: true },
    { received: false, subscribed: false },
    { received: false, subscribed: false, historical: true },
  ];

  for (const [kind, over] of Object.entries(kinds))
    it(`in a channel that is ${kind}, contains readers who have a copy or are subscribed`, async () => {
      const people: Array<{ account: TestAccount; has: boolean; subscribed: boolean }> = [];
      const invited: TestAccount[] = [];
      const room = await channel(db, org.owner, { ...over, subscribers: [] });
      const leaving: TestAccount[] = [];
      const late: TestAccount[] = [];
      for (const { received, subscribed, historical = false } of lots)
        for (const maker of [
          () => user(db, org.realm),
          () => user(db, org.realm, { role: 600 }),
          () => bot(db, org.member),
          async () => {
            const account = await user(db, org.realm);
            invited.push(account);
            return account;
          },
          async () => {
            const account = await user(db, org.realm, { role: 600 });
            invited.push(account);
            return account;
          },
        ]) {
          const account = await maker();
          if (received) await subscribe(db, room, account);
          if (received && !subscribed) leaving.push(account);
          if (!received && subscribed) late.push(account);
          people.push({ account, has: received || historical, subscribed });
        }
      const gone = await user(db, org.realm);
      await subscribe(db, room, gone);
      const [id = 0] = await pastMessages(db, room, org.owner);
      await unsubscribe(db, room, ...leaving);
      await subscribe(db, room, ...late);
      const copies = people.filter(({ has }, n) => has && n >= 20).map(({ account }) => account.id);
      await db.rows("INSERT INTO user_messages SELECT unnest($1::int[]), $2, 129", [copies, id]);
      await deactivateUser(db, gone);
      const group = await userGroup(db, org.realm, { members: invited });
      await db.rows("UPDATE channels SET can_subscribe_group_id = $2 WHERE id = $1", [
        room.id,
        group.id,
      ]);

      const expected: number[] = [];
      for (const { account, has, subscribed } of people) {
        const sees = (await accessMessages(db, account, [id])).has(id);
        if (sees && (has || subscribed)) expected.push(account.id);
      }
      const audience = await db.transaction((tx) =>
        loadMessageAudience(tx, { id, channelId: room.id, memberIds: null }),
      );
      expect(audience).to.deep.equal(expected);
      expect(expected.length).to.be.within(5, people.length - 2);
    });
});
