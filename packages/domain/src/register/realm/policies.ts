import type { Realm, Site } from "@carillon/model";
import type { RealmRow } from "./realm-row.ts";

/** What the organization allows, but for the permissions that groups hold. */
export function realmPolicies(site: Site, realm: Realm, row: RealmRow) {
  return {
    realm_waiting_period_threshold: realm.waitingPeriodThreshold,
    realm_invite_required: true,
    realm_enable_spectator_access: realm.enableSpectatorAccess,
    realm_presence_disabled: false,
    realm_email_auth_enabled: realm.passwordAuthEnabled,
    realm_password_auth_enabled: realm.passwordAuthEnabled,
    realm_name_changes_disabled: row.nameChangesDisabled,
    realm_email_changes_disabled: row.emailChangesDisabled,
    realm_avatar_changes_disabled: false,
    realm_require_unique_names: realm.requireUniqueNames,
    realm_push_notifications_enabled: site.pushConfigured && realm.pushNotificationsEnabled,
    realm_push_notifications_enabled_end_timestamp: row.pushEndsAt,
    realm_default_language: realm.defaultLanguage,
    realm_video_chat_provider: 0,
    realm_available_video_chat_providers: { disabled: { name: "None", id: 0 } },
    realm_upload_quota_mib: null,
    realm_new_stream_announcements_stream_id: realm.newStreamAnnouncementsChannelId ?? -1,
    realm_signup_announcements_stream_id: -1,
    realm_moderation_request_channel_id: -1,
    realm_zulip_update_announcements_stream_id: -1,
  };
}
