import { hostOf, mediumUrl, ownPictureUrl, pictureOf, unknownUser } from "@carillon/model";
import {
  isAtLeast,
  isGuest,
  isOwner,
  roles,
  type RealmPermission,
  realmPermissions,
  type UserObject,
} from "@carillon/contract";
import { listSystemBots, listUsers } from "../../users/read-users.ts";
import { inSlices } from "@carillon/kit";
import type { Section, SnapshotContext } from "../../snapshot-section.ts";

/** The accounts of the organization, the data of the account that registers the queue, and its rights. */
export const realmUsers: Section = {
  names: ["realm_user"],
  async load(context) {
    const { tx, site, actor, realm, clientGravatar, capabilities } = context;
    const options = { siteUrl: site.url, clientGravatar, profileFields: true };
    const [users, systemBots] = await Promise.all([
      listUsers(tx, actor, undefined, {
        ...options,
        standIn: capabilities.has("user_list_incomplete")
          ? undefined
          : (id) => unknownUser(id, hostOf(site, realm), site.url),
      }),
      listSystemBots(tx, actor, options),
    ]);
    const { active, inactive } = await partByActivity(users);
    return {
      realm_users: active,
      realm_non_active_users: inactive,
      cross_realm_bots: (await partByActivity(systemBots)).active,
      ...ownAccount(context),
      ...ownRights(context),
    };
  },
};

type ListedUser = Omit<UserObject, "is_active">;

/** Splits the accounts into active and inactive ones; `is_active` is left out, because the list implies it. */
async function partByActivity(
  users: readonly UserObject[],
): Promise<{ active: ListedUser[]; inactive: ListedUser[] }> {
  const active: ListedUser[] = [];
  const inactive: ListedUser[] = [];
  await inSlices(users, ({ is_active: isActive, ...user }) =>
    (isActive ? active : inactive).push(user),
  );
  return { active, inactive };
}

function ownAccount({ actor, site }: SnapshotContext) {
  const picture = ownPictureUrl(site.url, pictureOf(actor));
  return {
    user_id: actor.id,
    email: actor.email,
    delivery_email: actor.deliveryEmail,
    full_name: actor.fullName,
    is_owner: isOwner(actor),
    is_admin: isAtLeast(actor, roles.administrator),
    is_moderator: actor.role === roles.moderator,
    is_guest: isGuest(actor),
    avatar_source: actor.avatarSource,
    avatar_url: picture,
    avatar_url_medium: mediumUrl(picture),
  };
}

function ownRights({ actor, realm, memberships }: SnapshotContext) {
  const holds = (permission: RealmPermission) =>
    memberships.holds(actor, realmPermissions[permission], realm.groups[permission]);
  const toPublic = holds("canCreatePublicChannelGroup");
  const toPrivate = holds("canCreatePrivateChannelGroup");
  const toWebPublic = realm.enableSpectatorAccess && holds("canCreateWebPublicChannelGroup");
  return {
    can_create_public_streams: toPublic,
    can_create_private_streams: toPrivate,
    can_create_web_public_streams: toWebPublic,
    can_create_streams: toPublic || toPrivate || toWebPublic,
    can_invite_others_to_realm: holds("canInviteUsersGroup"),
  };
}
