import { channelPermissions, groupPermissions, realmPermissions } from "@carillon/contract";

const permissions = [realmPermissions, channelPermissions, groupPermissions]
  .flatMap((table) => Object.values(table))
  .map(({ name }) => name);

/**
 * The places where IDs of hidden accounts may appear (users.md §2.1), by read operation or event, and field. An ID
 * anywhere else is a leak.
 */
const places: readonly RegExp[] = [
  // Creators and holders of permissions.
  /\b(bot_owner_id|creator_id)$/,
  /\b(realm_)?emoji\.(\{\}\.)?author_id$/,
  new RegExp(`\\b(realm_)?(${permissions.join("|")})\\.direct_members\\[\\]$`),
  /^\w+\/update(_dict)?: (\w+\.)*value\.direct_members\[\]$/,
  // Members of groups.
  /\brealm_user_groups\[\]\.members\[\]$/,
  /^user_group\/add: group\.members\[\]$/,
  /^user_group\/(add|remove)_members: user_ids\[\]$/,
  // Subscribers of web-public channels, which guests see without being subscribed.
  /^(list-subscribers:|register \w+: (never_|un)subscribed\[\]\.) ?(partial_)?subscribers\[\]$/,
  /^subscription\/peer_(add|remove): user_ids\[\]$/,
  // Deletions, edits and readers of a message.
  /\bmessages?(\[\])?\.(sender_id|edit_history\[\]\.user_id)$/,
  /\breactions\[\]\.user(_id|\.id)$/,
  /\bsubmessages\[\]\.sender_id$/,
  /^get-message-history: message_history\[\]\.user_id$/,
  /^get-read-receipts: user_ids\[\]$/,
  /^(reaction\/(add|remove)|update_message\/): user(_id|\.user_id)$/,
  /^submessage\/: sender_id$/,
  // Texts of the reader itself, and things of accounts that the reader sees.
  /\bmuted_users\[\]\.id$/,
  /\bdrafts?\[\]\.to\[\]$/,
  /\bprofile_data\.\{\}\.value$/,
  /\bcustom_profile_field\.value$/,
  // Placeholders for hidden accounts.
  /\bmessages?(\[\])?\.(sender_email|avatar_url)$/,
  /\b(reactions\[\]|reaction\/(add|remove):) ?\.?user\.email$/,
  /^register old: realm_users\[\]\.(user_id|email|avatar_url(_medium)?)$/,
  /^realm_user\/add: person\.(user_id|email|avatar_url(_medium)?)$/,
];

/** @param where `reaction/add: user_id` */
export function mayStay(where: string): boolean {
  return places.some((place) => place.test(where));
}
