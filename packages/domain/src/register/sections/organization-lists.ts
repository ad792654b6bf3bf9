import { isGuest } from "@carillon/contract";
import { statement } from "@carillon/db";
import {
  listChannelFolders,
  listDomains,
  listLinkifiers,
  listProfileFields,
  listUserGroups,
  loadAdministeredBots,
  shownServices,
  loadRealmDefaults,
  settingChoices,
} from "@carillon/model";

import { listEmoji } from "../../emoji/realm-emoji.ts";
import { readPresences } from "../../presence.ts";
import { profileFieldTypes } from "../../profile-fields/check-field.ts";
import { listStatuses } from "../../user-status.ts";
import type { Section } from "../../snapshot-section.ts";

/** The channel folders, including archived ones. */
export const channelFolders: Section = {
  names: ["channel_folders"],
  load: async ({ tx, realm }) => ({
    channel_folders: await listChannelFolders(tx, realm.id, { archived: true }),
  }),
};

/** The custom profile fields and their types. */
export const customProfileFields: Section = {
  names: ["custom_profile_fields"],
  load: async ({ tx, realm }) => ({
    custom_profile_fields: await listProfileFields(tx, realm.id),
    custom_profile_field_types: profileFieldTypes,
  }),
};

const ofRealm = statement({
  name: "default-channels",
  text: `SELECT d.channel_id AS id FROM default_channels d JOIN channels c ON c.id = d.channel_id
    WHERE c.realm_id = $1 ORDER BY d.channel_id`,
});

/** The default channels of new members; empty for guests, who are not subscribed to them. */
export const defaultChannels: Section = {
  names: ["default_streams"],
  async load({ tx, realm, actor }) {
    if (isGuest(actor)) return { realm_default_streams: [] };
    const channels = await tx.rows(ofRealm, [realm.id]);
    return { realm_default_streams: channels.map(({ id }) => id) };
  },
};

/** The organization's linkifiers; empty for clients that do not support their templates. */
export const linkifiers: Section = {
  names: ["realm_linkifiers"],
  load: async ({ tx, realm, capabilities }) => ({
    realm_linkifiers: capabilities.has("linkifier_url_template")
      ? await listLinkifiers(tx, realm.id)
      : [],
  }),
};

/** The organization's own emoji, deactivated ones too. */
export const realmEmoji: Section = {
  names: ["realm_emoji"],
  load: async ({ tx, realm }) => ({ realm_emoji: await listEmoji(tx, realm.id) }),
};

/** The users' presence: by user ID for clients with `slim_presence`, by e-mail address for older ones. */
export const presence: Section = {
  names: ["presence"],
  load: ({ tx, actor, slimPresence, presenceHistoryLimit }) =>
    readPresences(tx, actor, { modern: slimPresence, historyLimit: presenceHistoryLimit }),
};

/** The bots that the account may administer: its own; all of them for administrators. */
export const realmBots: Section = {
  names: ["realm_bot"],
  async load({ tx, actor, site }) {
    const bots = await loadAdministeredBots(tx, actor.realmId, [actor]);
    return {
      realm_bots: bots.map(({ bot }) => ({
        ...bot,
        services: shownServices(bot.services, site.secrets),
      })),
    };
  },
};

/** The organization's defaults, copied to the settings of new accounts. */
export const settingsDefaults: Section = {
  names: ["realm_user_settings_defaults"],
  async load({ tx, realm }) {
    const defaults = await loadRealmDefaults(tx, realm.id);
    return { realm_user_settings_defaults: { ...defaults, ...settingChoices } };
  },
};

/** The user groups, also for guests; deactivated ones only for clients that support them. */
export const userGroups: Section = {
  names: ["realm_user_groups"],
  async load({ tx, realm, capabilities }) {
    const deactivated = capabilities.has("include_deactivated_groups");
    return { realm_user_groups: await listUserGroups(tx, realm.id, { deactivated }) };
  },
};

/** The users' statuses. */
export const userStatus: Section = {
  names: ["user_status"],
  load: async ({ tx, actor }) => ({ user_status: await listStatuses(tx, actor) }),
};

/** The domains of the organization's addresses. */
export const realmDomains: Section = {
  names: ["realm_domains"],
  load: async ({ tx, realm }) => ({ realm_domains: await listDomains(tx, realm.id) }),
};

/** The integrations of incoming webhooks. */
export const incomingWebhooks: Section = {
  names: ["realm_incoming_webhook_bots"],
  load: async ({ webhookIntegrations }) => ({ realm_incoming_webhook_bots: webhookIntegrations }),
};

/** Constant fields that clients require: the server does not have these features, or presents them in other fields. */
const fields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default_stream_groups: { realm_default_stream_groups: [] },
  push_device: { push_devices: {} },
  realm_filters: { realm_filters: [] },
  realm_playgrounds: { realm_playgrounds: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  stop_words: { stop_words: [] },
  onboarding_steps: { onboarding_steps: [] },
  video_calls: { has_zoom_token: false },
  giphy: { giphy_api_key: "" },
};

/** The sections of these fields. */
export const emptySections: readonly Section[] = Object.entries(fields).map(([name, value]) => ({
  names: [name],
  load: async () => value,
}));
