import {
  anonymousGroup,
  bot,
  channel,
  countQueries,
  organization,
  useDatabase,
  user,
  userGroup,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import type { Section } from "../snapshot-section.ts";
import {
  channelFolders,
  defaultChannels,
  realmBots,
  settingsDefaults,
  userGroups,
} from "./sections/organization-lists.ts";
import { ownSettings } from "./sections/own-lists.ts";
import { realmUsers } from "./sections/realm-users.ts";
import { realm } from "./sections/realm.ts";
import { fieldsOf } from "./test-support.ts";

/** Number of statements for each section. */
const counts: ReadonlyArray<readonly [section: Section, statements: number]> = [
  [realm, 5],
  [realmUsers, 2],
  [realmBots, 1],
  [userGroups, 2],
  [settingsDefaults, 1],
  [ownSettings, 1],
  [defaultChannels, 1],
  [channelFolders, 1],
];

describe("The sections about an organization", () => {
  const db = useDatabase();
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
    for (let i = 0; i < 5; i++) {
      const person = await user(db, org.realm);
      await bot(db, org.owner);
      const group = await userGroup(db, org.realm, { members: [person, org.member] });
      const managers = await anonymousGroup(db, org.realm.id, [person.id]);
      await db.prisma.namedUserGroup.update({
        where: { id: group.id },
        data: { canManageGroupId: managers },
      });
      await channel(db, org.realm, { isDefault: true });
      await db.prisma.channelFolder.create({ data: { realmId: org.realm.id, name: `${i}` } });
    }
  });

  /** Includes the statements of the transaction and of the context. */
  const statementsOf = (section: Section) =>
    countQueries(db, () => fieldsOf(db, section, org.owner));
  const nothing: Section = { names: [], load: async () => ({}) };

  for (const [section, statements] of counts) {
    it(`need a fixed number of statements: ${section.names.join(", ")}`, async () => {
      const without = await statementsOf(nothing);
      const counted = await statementsOf(section);
      const own = counted.count - without.count;
      expect(own, counted.statements.join("\n")).to.equal(statements);
    });
  }
});
