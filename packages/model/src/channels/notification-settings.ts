import { column, statement, type Sql } from "@carillon/db";

import { personalSettings } from "../settings/registry.ts";

/** The personal setting that each notification setting of a subscription inherits while it is null. */
const inheritedFrom = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const;

type NotificationSetting = keyof typeof inheritedFrom;

/** What an account's subscriptions inherit. */
export type InheritedNotifications = Readonly<Record<NotificationSetting, boolean>>;

const settings = Object.entries(inheritedFrom) as ReadonlyArray<
  [NotificationSetting, (typeof inheritedFrom)[NotificationSetting]]
>;

const values = settings
  .map(([name, from]) => {
    const value = `coalesce((u.settings->>'${from}')::bool, ${personalSettings[from].initial})`;
    return `'${name}', ${value}`;
  })
  .join(", ");

const byIds = statement({
  name: "inherited-notifications",
  text: `SELECT inherited, array_agg(id) AS ids FROM (
      SELECT u.id, jsonb_build_object(${values}) AS inherited FROM users u
      WHERE u.realm_id = $1 AND u.id = ANY($2::int[])
    ) each GROUP BY inherited`,
  row: { inherited: column.json<InheritedNotifications>(), ids: column.ints },
});

/** What the subscriptions of the organization's accounts inherit, by account; one object for all that are alike. */
export async function loadInheritedNotifications(
  sql: Sql,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, InheritedNotifications>> {
  const rows = await sql.rows(byIds, [realmId, userIds]);
  return new Map(rows.flatMap(({ ids, inherited }) => ids.map((id) => [id, inherited] as const)));
}

type NotificationSettings = { readonly [Name in NotificationSetting]: boolean | null | undefined };

/** The subscription for clients that do not know inherited settings (`notification_settings_null`, events.md §1.1). */
export function fillNotifications<Subscribed extends NotificationSettings>(
  subscription: Subscribed,
  inherited: InheritedNotifications,
): Subscribed {
  const filled = settings.map(([name]) => [name, subscription[name] ?? inherited[name]] as const);
  return { ...subscription, ...Object.fromEntries(filled) };
}
