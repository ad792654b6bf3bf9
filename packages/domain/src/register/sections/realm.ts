import {
  type GroupSettingValue,
  legacySettings,
  type RealmPermission,
  realmPermissions,
  reportTypes,
  supportedPermissionSettings,
} from "@carillon/contract";
import { type RowOf, type Sql, statement } from "@carillon/db";
import {
  hostOf,
  legacyPolicies,
  loadGroupValues,
  loadOrganizationSettings,
  loadSystemGroups,
  type Realm,
  realmUrl,
  type Site,
  type SystemGroupIds,
} from "@carillon/model";

import { thumbnailFormats } from "../../files/thumbnail-formats.ts";
import { enabledMethods, methodFields } from "../../realms/authentication-methods.ts";
import { externalAccounts } from "../../profile-fields/check-field.ts";
import { loadRealmPictures, realmPictureFields } from "../../pictures/realm-pictures.ts";
import { emojiDataUrl, serverLimits, serverTimings } from "../../server.ts";
import { minPasswordGuesses } from "../../users/passwords.ts";
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
      ...realmPolicies(site, realm, row, systemGroups),
      ...withPrefix(settings),
      ...withPrefix(legacySettings(settings)),
      ...withPrefix(methodFields(enabledMethods(site, realm))),
      ...withPrefix(legacyPolicies(realm, systemGroups)),
      ...permissions,
      // The address of the organization's own Jitsi server, under its old name.
      jitsi_server_url: settings.jitsi_server_url,
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
    realm_plan_type: 1,
    realm_uuid: row.uuid,
  };
}

/** Policies and limits of the organization, except its settings and permissions. */
function realmPolicies(site: Site, realm: Realm, row: RealmRow, groups: SystemGroupIds) {
  const { quota } = site.uploads;
  return {
    realm_enable_spectator_access: realm.enableSpectatorAccess,
    realm_presence_disabled: false,
    realm_push_notifications_enabled: site.pushConfigured && realm.pushNotificationsEnabled,
    realm_push_notifications_enabled_end_timestamp: row.pushEndsAt,
    realm_available_video_chat_providers: {
      disabled: { name: "None", id: 0 },
      jitsi_meet: { name: "Jitsi Meet", id: 1 },
    },
    realm_empty_topic_display_name: realm.emptyTopicDisplayName,
    realm_want_advertise_in_communities_directory: false,
    realm_owner_full_content_access: false,
    realm_can_manage_billing_group: groups["role:administrators"],
    realm_workplace_users_group: groups["role:members"],
    realm_upload_quota_mib: quota === undefined ? null : quota / mebibyte,
  };
}

/** No GIFs: the server has no key for a service. */
const gifRatings = { disabled: { id: 0, name: "GIFs are disabled" } };

/** Fields that are the same for all organizations of the server. */
function serverFacts(site: Site) {
  return {
    server_emoji_data_url: emojiDataUrl(site),
    server_thumbnail_formats: thumbnailFormats,
    server_supported_permission_settings: supportedPermissionSettings,
    server_report_message_types: reportTypes,
    server_web_public_streams_enabled: true,
    server_needs_upgrade: false,
    server_jitsi_server_url: null,
    server_name_changes_disabled: false,
    server_avatar_changes_disabled: false,
    server_can_summarize_topics: false,
    server_inline_image_preview: true,
    server_inline_url_embed_preview: false,
    server_min_deactivated_realm_deletion_days: null,
    server_max_deactivated_realm_deletion_days: null,
    settings_send_digest_emails: false,
    development_environment: site.development,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: "",
    password_min_guesses: minPasswordGuesses,
    realm_default_external_accounts: externalAccounts,
    giphy_rating_options: gifRatings,
    gif_rating_policy_options: gifRatings,
  };
}

const byId = statement({
  name: "realm-snapshot",
  // `dateCreated`: UNIX time in seconds.
  // `pushEndsAt`: When the push bouncer stops pushing for it, in UNIX seconds; null if no end is known.
  text: `SELECT floor(extract(epoch FROM date_created))::float8 AS "dateCreated",
      uuid::text AS uuid,
      floor(extract(epoch FROM push_notifications_enabled_end_timestamp))::float8 AS "pushEndsAt"
    FROM realms WHERE id = $1`,
});

/** Properties of an organization that only clients use. */
type RealmRow = RowOf<typeof byId>;

/**
 * Loads the organization's row.
 * @throws Error if there is none: ids of organizations come from accounts, never from requests
 */
async function loadRealmRow(sql: Sql, realmId: number): Promise<RealmRow> {
  const [row] = await sql.rows(byId, [realmId]);
  if (!row) throw new Error(`there is no organization ${realmId}`);
  return row;
}
