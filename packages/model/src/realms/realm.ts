import type { Sql } from "@carillon/db";

import { realmSettings } from "../permissions/registry.ts";

export type RealmSetting = keyof typeof realmSettings;

/** An organization, as the rules need it. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  readonly deactivated: boolean;
  readonly topicsPolicy: "allow_empty_topic" | "disable_empty_topic";
  readonly emptyTopicDisplayName: string;
  readonly defaultLanguage: string;
  readonly waitingPeriodThreshold: number;
  readonly requireUniqueNames: boolean;
  readonly passwordAuthEnabled: boolean;
  readonly enableSpectatorAccess: boolean;
  readonly sendChannelEventsMessages: boolean;
  readonly newStreamAnnouncementsChannelId: number | null;
  readonly description: string;
  /** The database's clock when this was read: the start of the transaction. UNIX time in seconds, with a fraction. */
  readonly now: number;
  /** The group that holds each permission. */
  readonly groups: Readonly<Record<RealmSetting, number>>;
}

const groupColumns = Object.entries(realmSettings)
  .map(([key, { name }]) => `'${key}', ${name}_id`)
  .join(", ");

const byId = {
  name: "realm-by-id",
  text: `SELECT id, subdomain, name, deactivated, topics_policy AS "topicsPolicy",
      empty_topic_display_name AS "emptyTopicDisplayName", waiting_period_threshold AS "waitingPeriodThreshold",
      default_language AS "defaultLanguage",
      require_unique_names AS "requireUniqueNames", password_auth_enabled AS "passwordAuthEnabled",
      enable_spectator_access AS "enableSpectatorAccess", send_channel_events_messages AS "sendChannelEventsMessages",
      new_stream_announcements_channel_id AS "newStreamAnnouncementsChannelId", description,
      extract(epoch FROM now())::float8 AS now,
      json_build_object(${groupColumns}) AS groups
    FROM realms WHERE id = $1`,
};

/**
 * The organization with this id.
 * @throws Error when there is none: ids of organizations come from accounts, never from requests
 */
export async function loadRealm(sql: Sql, realmId: number): Promise<Realm> {
  const [realm] = await sql.rows<Realm>(byId, [realmId]);
  if (!realm) throw new Error(`there is no organization ${realmId}`);
  return realm;
}
