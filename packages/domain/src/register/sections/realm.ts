import {
  type GroupSettingValue,
  type RealmPermission,
  realmPermissions,
  reportTypes,
  supportedPermissionSettings,
} from "@carillon/contract";
import { type RowOf, type Sql, statement } from "@carillon/db";
import {
  contentDeleteLimit,
  contentEditLimit,
  hostOf,
  legacyPolicies,
  loadGroupValues,
  loadOrganizationSettings,
  loadSystemGroups,
  moveLimit,
  type Realm,
  realmUrl,
  type Site,
} from "@carillon/model";

import { thumbnailFormats } from "../../files/thumbnail-formats.ts";
import { externalAccounts } from "../../profile-fields/check-field.ts";
import { loadRealmPictures, realmPictureFields } from "../../pictures/realm-pictures.ts";
import { emojiDataUrl, serverLimits, serverTimings } from "../../server.ts";
import type { Section } from "../../snapshot-section.ts";

const mebibyte = 1024 * 1024;

/** The organization and its server (events.md §1.3). */
export const realm: Section = {
  names: ["realm"],
  async load({ tx, site, realm }) {
    const [row, settings, pictures, systemGroups, permissions] = await Promise.all([
      loadRealmRow(tx, realm.id),
      loadOrganizationSettings(tx, realm.id),
      loadRealmPictures(tx, realm.id),
      loadSystemGroups(tx, realm.id),
      loadPermissions(tx, realm),
    ]);
    return {
      ...serverLimits,
      max_file_upload_size_mib: site.uploads.maxFileSize / mebibyte,
      ...serverTimings,
      ...realmIdentity(site, realm, row),
      ...withPrefix(realmPictureFields(site, realm, pictures)),
      ...messageSettings(realm, row),
      ...realmPolicies(site, realm, row),
      ...withPrefix(settings),
      ...withPrefix(legacyPolicies(realm, systemGroups)),
      ...permissions,
      ...serverFacts(site),
    };
  },
};

function withPrefix<Value>(
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`realm_${name}`, value]),
  );
}

/** Loads every permission of the organization; keys are `realm_` and the permission's name. */
async function loadPermissions(sql: Sql, realm: Realm): Promise<Record<string, GroupSettingValue>> {
  const valueOf = await loadGroupValues(sql, Object.values(realm.groups));
  const values = Object.entries(realmPermissions).map(([key, { name }]) => [
    `realm_${name}`,
    valueOf(realm.groups[key as RealmPermission]),
  ]);
  return Object.fromEntries(values) as Record<string, GroupSettingValue>;
}

/** When this process started, in UNIX seconds. */
const serverGeneration = Math.floor(performance.timeOrigin / 1_000);

/** Fields that identify the organization. */
function realmIdentity(site: Site, realm: Realm, row: RealmRow) {
  const url = realmUrl(site, realm);
  return {
    realm_url: url,
    realm_uri: url,
    realm_bot_domain: hostOf(site, realm),
    realm_date_created: row.dateCreated,
    server_generation: serverGeneration,
    realm_org_type: 0,
    realm_plan_type: 1,
  };
}

/** The organization's settings of messages and topics. */
function messageSettings(realm: Realm, row: RealmRow) {
  return {
    realm_allow_message_editing: true,
    realm_message_content_edit_limit_seconds: contentEditLimit,
    realm_message_content_delete_limit_seconds: contentDeleteLimit,
    realm_move_messages_within_stream_limit_seconds: moveLimit,
    realm_move_messages_between_streams_limit_seconds: moveLimit,
    realm_allow_edit_history: realm.editHistoryPolicy !== "none",
    realm_message_edit_history_visibility_policy: realm.editHistoryPolicy,
    realm_message_retention_days: row.messageRetentionDays ?? -1,
    realm_enable_read_receipts: realm.enableReadReceipts,
    realm_topics_policy: realm.topicsPolicy,
    realm_mandatory_topics: realm.topicsPolicy === "disable_empty_topic",
    realm_empty_topic_display_name: realm.emptyTopicDisplayName,
  };
}

/** The organization's policies, except permissions that groups have. */
function realmPolicies(site: Site, realm: Realm, row: RealmRow) {
  const { quota } = site.uploads;
  return {
    realm_invite_required: true,
    realm_enable_spectator_access: realm.enableSpectatorAccess,
    realm_presence_disabled: false,
    realm_email_auth_enabled: realm.passwordAuthEnabled,
    realm_password_auth_enabled: realm.passwordAuthEnabled,
    realm_push_notifications_enabled: site.pushConfigured && realm.pushNotificationsEnabled,
    realm_push_notifications_enabled_end_timestamp: row.pushEndsAt,
    realm_default_language: realm.defaultLanguage,
    realm_video_chat_provider: 0,
    realm_available_video_chat_providers: { disabled: { name: "None", id: 0 } },
    realm_upload_quota_mib: quota === undefined ? null : quota / mebibyte,
    realm_new_stream_announcements_stream_id: realm.newStreamAnnouncementsChannelId ?? -1,
    realm_signup_announcements_stream_id: -1,
    realm_moderation_request_channel_id: -1,
    realm_zulip_update_announcements_stream_id: -1,
  };
}

/** Fields that are the same for all organizations of the server. */
function serverFacts(site: Site) {
  return {
    server_emoji_data_url: emojiDataUrl(site),
    server_thumbnail_formats: thumbnailFormats,
    server_supported_permission_settings: supportedPermissionSettings,
    server_report_message_types: reportTypes,
    server_web_public_streams_enabled: true,
    server_needs_upgrade: false,
    jitsi_server_url: null,
    realm_default_external_accounts: externalAccounts,
    giphy_rating_options: {},
  };
}

const byId = statement({
  name: "realm-snapshot",
  // `dateCreated`: UNIX time in seconds.
  // `messageRetentionDays`: null = unlimited
  // `pushEndsAt`: When the push bouncer stops pushing for it, in UNIX seconds; null if no end is known.
  text: `SELECT floor(extract(epoch FROM date_created))::float8 AS "dateCreated",
      message_retention_days AS "messageRetentionDays",
      floor(extract(epoch FROM push_notifications_enabled_end_timestamp))::float8 AS "pushEndsAt"
    FROM realms WHERE id = $1`,
});

/** Properties of an organization that only clients use. */
type RealmRow = RowOf<typeof byId>;

/** @throws Error if there is none: ids of organizations come from accounts, never from requests */
async function loadRealmRow(sql: Sql, realmId: number): Promise<RealmRow> {
  const [row] = await sql.rows(byId, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row;
}
