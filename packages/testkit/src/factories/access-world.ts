import type { Database } from "@carillon/db";
import { roles } from "@carillon/contract";
import { user, type TestAccount } from "./account.ts";
import { channel, type TestChannel } from "./channel.ts";
import { userGroup } from "./group.ts";
import { organization, type TestOrganization } from "./organization.ts";

/** A channel of the access world, with the properties that decide who reads it. */
export interface AccessRoom {
  readonly room: TestChannel;
  /** Whether all people are subscribed, or none. */
  readonly subscribed: boolean;
  /** Whether a permission opens it to the groups of the two people. */
  readonly opens: boolean;
}

/** An organization with channels of every kind that access depends on. */
export interface AccessWorld {
  readonly org: TestOrganization;
  /** One account of each role, a bot, and two accounts in groups. */
  readonly people: readonly TestAccount[];
  readonly inGroup: TestAccount;
  readonly guestInGroup: TestAccount;
  /** A deactivated account, subscribed to the same channels. */
  readonly away: TestAccount;
  readonly rooms: readonly AccessRoom[];
}

/** Creates fifty channels: each kind with each permission, with and without subscribers. */
export async function accessWorld(db: Database): Promise<AccessWorld> {
  const org = await organization(db);
  const inGroup = await user(db, org.realm);
  const guestInGroup = await user(db, org.realm, { role: roles.guest });
  const away = await user(db, org.realm, { isActive: false });
  const { owner, admin, moderator, member, guest, bot } = org;
  const people = [owner, admin, moderator, member, guest, bot, inGroup, guestInGroup];
  const team = await userGroup(db, org.realm, { members: [inGroup, guestInGroup] });
  const around = await userGroup(db, org.realm, { subgroups: [team.id] });
  const kinds = [
    {},
    { isWebPublic: true },
    { isArchived: true },
    { inviteOnly: true },
    { inviteOnly: true, historyPublicToSubscribers: true },
  ];
  const permissions = [
    { groups: {}, opens: false },
    { groups: { canSubscribeGroupId: team.id }, opens: true },
    { groups: { canAddSubscribersGroupId: around.id }, opens: true },
    { groups: { canAdministerChannelGroupId: around.id }, opens: false },
    { groups: { canSendMessageGroupId: org.groups["role:everyone"] }, opens: false },
  ];
  const rooms: AccessRoom[] = [];
  for (const kind of kinds)
    for (const { groups, opens } of permissions)
      for (const subscribers of [[], [...people, away]]) {
        const room = await channel(db, org.realm, { ...kind, groups, subscribers });
        rooms.push({ room, subscribed: subscribers.length > 0, opens });
      }
  return { org, people, inGroup, guestInGroup, away, rooms };
}
