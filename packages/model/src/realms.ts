import { createHash } from "node:crypto";

import {
  errors,
  type LinkifierObject,
  type LoggedFields,
  type NewEvent,
  type RealmPermission,
  realmPermissions,
  realmPropertyUpdated,
  realmUpdated,
  type SystemGroupName,
} from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";
import { Linkifiers } from "@carillon/markdown";

import { groupsObject } from "./permissions/group-setting-values.ts";
import type { SystemGroupIds } from "./permissions/system-groups.ts";

/** How much of a message's history is shown: all, only moves, or nothing. */
export type EditHistoryPolicy = "all" | "moves" | "none";

/**
 * SQL: whether the organization, a row of `realms`, hides accounts from guests: the permission to see all accounts is
 * given to a group other than everyone.
 */
export const restrictsGuests = `EXISTS (SELECT FROM named_user_group g
    WHERE g.id = realms.can_access_all_users_group_id AND g.name <> 'role:everyone')`;

/**
 * Returns the SQL condition that an organization continues at another installation under the same address: its final export
 * was made, and it is deactivated but not redirected (docs/moving.md).
 * @param realm alias of `realms`
 */
export const continuesElsewhereSql = (realm: string) =>
  `(CASE WHEN ${realm}.deactivated AND ${realm}.read_only_since IS NOT NULL AND ${realm}.moved_to IS NULL
    THEN EXISTS (SELECT FROM event_head h WHERE h.realm_id = ${realm}.id AND h.last_seq IS NOT NULL) ELSE false END)`;

/**
 * An organization with the fields that the rules need.
 * - `isReadOnly`: whether it refuses requests that change something, and sends nothing (docs/moving.md).
 * - `pushNotificationsEnabled`: whether the push bouncer pushes for it, as far as known.
 * - `restrictsGuests`: whether some accounts are hidden from its guests (users.md §2.1).
 * - `now`: PostgreSQL's `now()` when this was read: the start of the transaction, in UNIX seconds with a fraction.
 * - `linkifiers`: see {@link linkifiersOf}.
 * - `groups`: the group of each permission.
 * - the limits of changes are in seconds after the sending of a message; null for unlimited.
 */
export type Realm = RowOf<typeof byId>;

/** SQL: the linkifiers of an organization (a row of `realms`) in order, as one text; costs one lookup. */
const linkifiersText = `(SELECT coalesce(json_agg(json_build_array(l.pattern, l.url_template)
  ORDER BY l."order", l.id), '[]') FROM linkifiers l WHERE l.realm_id = realms.id)::text`;

const byId = statement({
  name: "realm-by-id",
  text: `SELECT id, subdomain, name, deactivated, read_only_since IS NOT NULL AS "isReadOnly", topics_policy AS "topicsPolicy",
      empty_topic_display_name AS "emptyTopicDisplayName", waiting_period_threshold AS "waitingPeriodThreshold",
      default_language AS "defaultLanguage",
      require_unique_names AS "requireUniqueNames", password_auth_enabled AS "passwordAuthEnabled",
      enable_spectator_access AS "enableSpectatorAccess", send_channel_events_messages AS "sendChannelEventsMessages",
      new_stream_announcements_channel_id AS "newStreamAnnouncementsChannelId", description,
      signup_announcements_channel_id AS "signupAnnouncementsChannelId",
      moderation_request_channel_id AS "moderationRequestChannelId", dev_auth_enabled AS "devAuthEnabled",
      oidc_auth_enabled AS "oidcAuthEnabled",
      allow_message_editing AS "allowMessageEditing", message_content_edit_limit_seconds AS "contentEditLimit",
      message_content_delete_limit_seconds AS "contentDeleteLimit",
      move_messages_within_stream_limit_seconds AS "moveWithinChannelLimit",
      move_messages_between_streams_limit_seconds AS "moveBetweenChannelsLimit",
      message_edit_history_visibility_policy AS "editHistoryPolicy", enable_read_receipts AS "enableReadReceipts",
      push_notifications_enabled AS "pushNotificationsEnabled",
      ${restrictsGuests} AS "restrictsGuests",
      extract(epoch FROM now())::float8 AS now, ${linkifiersText} AS linkifiers,
      ${groupsObject(realmPermissions)} AS groups
    FROM realms WHERE id = $1`,
  overrides: {
    topicsPolicy: typed<"allow_empty_topic" | "disable_empty_topic">(),
    editHistoryPolicy: typed<EditHistoryPolicy>(),
    /** The group of each permission. */
    groups: typed<Readonly<Record<RealmPermission, number>>>(),
  },
});

/**
 * Loads the organization with this id.
 * @throws Error if there is none: ids of organizations come from accounts, never from requests
 */
export async function loadRealm(sql: Sql, realmId: number): Promise<Realm> {
  const [realm] = await sql.rows(byId, [realmId]);
  if (!realm) throw new Error(`there is no organization ${realmId}`);
  return realm;
}

/** Selects the ids of all active organizations that may be changed, for recurring work. */
export const activeRealms = statement({
  name: "active-realms",
  text: "SELECT id FROM realms WHERE NOT deactivated AND read_only_since IS NULL ORDER BY id",
});

const byLabel = statement({
  name: "realm-of-host",
  // The subdomain of an organization that is being imported begins with a dot.
  text: `SELECT id, ${continuesElsewhereSql("realms")} AS "continuesElsewhere" FROM realms WHERE subdomain NOT LIKE '.%'
    ORDER BY (subdomain <> '' AND subdomain = $1) DESC,
      (${continuesElsewhereSql("realms")}) OR moved_to IS NOT NULL, id LIMIT 1`,
});

/**
 * Returns the organization of a request without credentials: the one whose subdomain is the first label of the host
 * name, else the oldest one, preferably one that has not moved away (http-contract.md §10).
 * @throws ApiError 503 on a server without organizations, and if the organization continues at another installation
 */
export async function realmOfHost(sql: Sql, host: string): Promise<Realm> {
  const [label = ""] = host.toLowerCase().split(".");
  const [row] = await sql.rows(byLabel, [label]);
  if (!row) throw errors.unavailable("This server has no organization yet");
  if (row.continuesElsewhere) throw errors.organizationContinuesElsewhere();
  return loadRealm(sql, row.id);
}

const lock = statement({
  name: "organization-lock",
  text: "SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE",
});

/**
 * Locks the organization's row until the transaction ends. The lock protects its settings, its set of owners, and the
 * names of its accounts.
 */
export async function lockOrganization(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "organization", keys: [realmId] }, lock, [realmId]);
}

const lockShared = statement({
  name: "organization-lock-shared",
  text: "SELECT FROM realms WHERE id = $1 FOR SHARE",
});

/** Locks the organization's row in shared mode until the transaction ends, so that its settings cannot change. */
export async function lockOrganizationShared(tx: Tx, realmId: number): Promise<void> {
  await tx.lock({ name: "organization", keys: [realmId], shared: true }, lockShared, [realmId]);
}

type Changed = LoggedFields<typeof realmUpdated>["data"];

/** Makes the event of changed settings for all users, by wire names; none without changes. */
export function realmUpdatedEvents(data: Changed): NewEvent[] {
  if (Object.keys(data).length === 0) return [];
  return [realmUpdated({ property: "default", data })];
}

/** Makes the event of an organization's new icon or logo for all users. */
export function realmPictureEvent(
  property: "icon" | "logo" | "night_logo",
  data: Changed,
): NewEvent {
  return realmUpdated({ property, data });
}

/** Makes the event of a numeric policy for older clients. */
export function realmPolicyEvent(property: string, value: number): NewEvent {
  return realmPropertyUpdated({ property, value });
}

/** The push bouncer's status of an organization. */
export interface PushStatus {
  /** Whether it pushes for the organization. */
  readonly enabled: boolean;
  /** UNIX seconds when pushing ends; null if no end is known. */
  readonly endsAt: number | null;
}

/** Makes the events of a changed push status for all users. */
export function pushStatusEvents(before: PushStatus, now: PushStatus): NewEvent[] {
  const events: NewEvent[] = [];
  if (before.enabled !== now.enabled)
    events.push(
      realmPropertyUpdated({ property: "push_notifications_enabled", value: now.enabled }),
    );
  if (before.endsAt !== now.endsAt)
    events.push(
      realmPropertyUpdated({
        property: "push_notifications_enabled_end_timestamp",
        value: now.endsAt,
      }),
    );
  return events;
}

/** Returns the URL of a generated picture for the organization at `url`. */
export function realmIconUrl(url: string): string {
  const hash = createHash("md5").update(url).digest("hex");
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon`;
}

type Numbers = Readonly<Partial<Record<SystemGroupName, number>>> & {
  readonly "role:administrators": number;
};

const channelCreation: Numbers = {
  "role:members": 1,
  "role:administrators": 2,
  "role:fullmembers": 3,
  "role:moderators": 4,
};

const webPublicCreation: Numbers = {
  "role:administrators": 2,
  "role:moderators": 4,
  "role:nobody": 6,
  "role:owners": 7,
};

const mentioningMany: Numbers = {
  "role:everyone": 1,
  "role:members": 2,
  "role:fullmembers": 3,
  "role:administrators": 5,
  "role:nobody": 6,
  "role:moderators": 7,
};

/**
 * Returns the numeric policies by which older clients know permissions (events.md §1.3), by the property names of
 * `realm` events; the snapshot adds the prefix `realm_`. A group without a number counts as the administrators, so that
 * a client offers too little rather than actions that would be rejected.
 */
export function legacyPolicies(
  realm: Pick<Realm, "groups">,
  groups: SystemGroupIds,
): Readonly<Record<string, number>> {
  const names = new Map(Object.entries(groups).map(([name, id]) => [id, name as SystemGroupName]));
  const policy = (permission: RealmPermission, numbers: Numbers): number => {
    const name = names.get(realm.groups[permission]);
    return (name && numbers[name]) ?? numbers["role:administrators"];
  };
  return {
    create_public_stream_policy: policy("canCreatePublicChannelGroup", channelCreation),
    create_private_stream_policy: policy("canCreatePrivateChannelGroup", channelCreation),
    create_web_public_stream_policy: policy("canCreateWebPublicChannelGroup", webPublicCreation),
    wildcard_mention_policy: policy("canMentionManyUsersGroup", mentioningMany),
  };
}

/** Maximum organizations whose compiled linkifiers are cached. */
const maxCached = 100;
/** Compiled linkifiers by the text in the row. */
const cache = new Map<string, Linkifiers>();

/** Returns an organization's compiled linkifiers (rendering.md §3). */
export function linkifiersOf({ linkifiers: text }: { readonly linkifiers: string }): Linkifiers {
  const cached = cache.get(text);
  if (cached) return cached;
  const pairs = JSON.parse(text) as Array<[pattern: string, urlTemplate: string]>;
  const compiled = new Linkifiers(
    pairs.map(([pattern, urlTemplate]) => ({ pattern, urlTemplate })),
  );
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, compiled);
  return compiled;
}

const all = statement({
  name: "linkifiers",
  text: `SELECT id, pattern, url_template FROM linkifiers WHERE realm_id = $1 ORDER BY "order", id`,
});

/** Lists an organization's linkifiers in order, in the wire format. */
export function listLinkifiers(sql: Sql, realmId: number): Promise<LinkifierObject[]> {
  return sql.rows(all, [realmId]);
}
