import { realmPermissions, type RealmPermission } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

import { groupsObject } from "../permissions/columns.ts";
import { restrictsGuests } from "./restricts-guests.ts";
import { linkifiersText } from "./linkifiers.ts";

/** Who sees what messages and topics were before: all of it, moves only, nothing. */
export type EditHistoryPolicy = "all" | "moves" | "none";

const row = {
  id: column.int,
  subdomain: column.text,
  name: column.text,
  deactivated: column.bool,
  topicsPolicy: column.text.as<"allow_empty_topic" | "disable_empty_topic">(),
  emptyTopicDisplayName: column.text,
  defaultLanguage: column.text,
  waitingPeriodThreshold: column.int,
  requireUniqueNames: column.bool,
  passwordAuthEnabled: column.bool,
  enableSpectatorAccess: column.bool,
  sendChannelEventsMessages: column.bool,
  newStreamAnnouncementsChannelId: column.int.orNull(),
  description: column.text,
  editHistoryPolicy: column.text.as<EditHistoryPolicy>(),
  enableReadReceipts: column.bool,
  /** Whether the push bouncer pushes for it, as far as is known. */
  pushNotificationsEnabled: column.bool,
  /** Whether there are accounts that its guests do not see (users.md §2.1). */
  restrictsGuests: column.bool,
  /** The database's clock when this was read: the start of the transaction. UNIX time in seconds, with a fraction. */
  now: column.float,
  /** See {@link linkifiersOf}. */
  linkifiers: column.text.neverNullHere(),
  /** The group of each permission. */
  groups: column.json<Readonly<Record<RealmPermission, number>>>(),
};

/** An organization, as the rules need it. */
export type Realm = RowOf<typeof row>;

const byId = statement({
  name: "realm-by-id",
  text: `SELECT id, subdomain, name, deactivated, topics_policy AS "topicsPolicy",
      empty_topic_display_name AS "emptyTopicDisplayName", waiting_period_threshold AS "waitingPeriodThreshold",
      default_language AS "defaultLanguage",
      require_unique_names AS "requireUniqueNames", password_auth_enabled AS "passwordAuthEnabled",
      enable_spectator_access AS "enableSpectatorAccess", send_channel_events_messages AS "sendChannelEventsMessages",
      new_stream_announcements_channel_id AS "newStreamAnnouncementsChannelId", description,
      message_edit_history_visibility_policy AS "editHistoryPolicy", enable_read_receipts AS "enableReadReceipts",
      push_notifications_enabled AS "pushNotificationsEnabled",
      ${restrictsGuests} AS "restrictsGuests",
      extract(epoch FROM now())::float8 AS now, ${linkifiersText} AS linkifiers,
      ${groupsObject(realmPermissions)} AS groups
    FROM realms WHERE id = $1`,
  row,
});

/**
 * The organization with this id.
 * @throws Error when there is none: ids of organizations come from accounts, never from requests
 */
export async function loadRealm(sql: Sql, realmId: number): Promise<Realm> {
  const [realm] = await sql.rows(byId, [realmId]);
  if (!realm) throw new Error(`there is no organization ${realmId}`);
  return realm;
}
