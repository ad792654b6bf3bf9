import { createHash } from "node:crypto";

import { beginSignIn, beginSignUp, maxPictureMib } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import { codeToNames, renderDescription } from "@carillon/markdown";
import {
  type IdentityProvider,
  maxChannelNameLength,
  maxDescriptionLength,
  maxFolderDescriptionLength,
  maxFolderNameLength,
  maxMessageLength,
  maxTopicLength,
  realmOfHost,
  realmUrl,
  type Site,
} from "@carillon/model";

import { maxSubscribedNotices } from "./notices/record.ts";
import { loadRealmPictures, presentRealmPicture } from "./pictures/realm-pictures.ts";
import { offlineThreshold } from "./presence.ts";
import { enabledMethods, offeredProvider } from "./realms/authentication-methods.ts";
import { passwordLength } from "./users/passwords.ts";

/** Returns the settings that a client reads before login (http-contract.md §10). */
export async function serverSettings(sql: Sql, site: Site, host: string) {
  const realm = await realmOfHost(sql, host);
  const url = realmUrl(site, realm);
  const { icon } = await loadRealmPictures(sql, realm.id);
  const byPassword = realm.passwordAuthEnabled;
  const byProvider = enabledMethods(site, realm)["OpenID Connect"];
  const provider = offeredProvider(site, realm);
  return {
    authentication_methods: {
      password: byPassword,
      email: byPassword,
      ...(byProvider === undefined ? {} : { "openid connect": byProvider }),
      dev: site.development && realm.devAuthEnabled,
      ldap: false,
      remoteuser: false,
    },
    external_authentication_methods:
      provider && !realm.deactivated ? [externalMethod(provider)] : [],
    push_notifications_enabled: site.pushConfigured && realm.pushNotificationsEnabled,
    is_incompatible: false,
    email_auth_enabled: byPassword,
    require_email_format_usernames: true,
    realm_url: url,
    realm_uri: url,
    realm_name: realm.name,
    realm_icon: presentRealmPicture(site, realm, "icon", icon).url,
    realm_description: renderDescription(realm.description),
    realm_web_public_access_enabled: realm.enableSpectatorAccess,
    ...serverVersion,
  };
}

/** Paths, not URLs with a query: the phone app replaces the query (people.md §5). */
function externalMethod({ displayName, displayIcon }: IdentityProvider) {
  return {
    name: "oidc:main",
    display_name: displayName,
    display_icon: displayIcon,
    login_url: beginSignIn.path,
    signup_url: beginSignUp.path,
  };
}

/** The protocol version sent to clients (http-contract.md §10), which choose their behaviour by the feature level. */
export const serverVersion = {
  zulip_version: "12.0",
  zulip_merge_base: "12.0",
  /** Raise it only together with the behaviour of that level. */
  zulip_feature_level: 496,
} as const;

/** The server's limits, sent to clients (events.md §1.3). Lengths are in code points, file sizes in MiB. */
export const serverLimits = {
  max_message_length: maxMessageLength,
  max_topic_length: maxTopicLength,
  max_stream_name_length: maxChannelNameLength,
  max_stream_description_length: maxDescriptionLength,
  max_channel_folder_name_length: maxFolderNameLength,
  max_channel_folder_description_length: maxFolderDescriptionLength,
  max_reminder_note_length: 500,
  max_bulk_new_subscription_messages: maxSubscribedNotices,
  max_avatar_file_size_mib: maxPictureMib,
  max_icon_file_size_mib: maxPictureMib,
  max_logo_file_size_mib: maxPictureMib,
  password_min_length: passwordLength.min,
  password_max_length: passwordLength.max,
};

/** Intervals and timeouts, sent to clients (events.md §1.3). */
export const serverTimings = {
  /** Seconds; longer than the time between two heartbeats. */
  event_queue_longpoll_timeout_seconds: 90,
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: offlineThreshold,
  server_typing_started_expiry_period_milliseconds: 15_000,
  server_typing_stopped_wait_period_milliseconds: 5_000,
  server_typing_started_wait_period_milliseconds: 10_000,
} as const;

/** The names of the Unicode emoji by code, as JSON text: `{"code_to_names":{"1f642":["smile",…],…}}` (events.md §1.3). */
export const emojiData = JSON.stringify({ code_to_names: Object.fromEntries(codeToNames) });

/** A hash of the text, part of its URL: the content of a URL never changes. */
export const emojiDataVersion = createHash("sha256").update(emojiData).digest("hex").slice(0, 16);

/** Returns the absolute URL of {@link emojiData}: `server_emoji_data_url`. */
export function emojiDataUrl(site: Pick<Site, "url">): string {
  return `${site.url}/static/emoji/${emojiDataVersion}`;
}
