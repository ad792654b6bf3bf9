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

/** An account's whole settings are read once for all of these: unpacking them is what takes the time. */
const byIds = statement({
  name: "inherited-notifications",
  text: `SELECT jsonb_build_object(${settings.map(([name]) => `'${name}', ${name}`).join(", ")}) AS inherited, ids FROM (
      SELECT ${settings
        .map(([name, from]) => `coalesce(s.${from}, ${personalSettings[from].initial}) AS ${name}`)
        .join(", ")}, array_agg(u.id) AS ids
      FROM users u, jsonb_to_record(u.settings) AS s (${settings.map(([, from]) => `${from} bool`).join(", ")})
      WHERE u.realm_id = $1 AND u.id = ANY($2::int[])
      GROUP BY ${settings.map((_, i) => i + 1).join(", ")}
    ) each`,
  row: { inherited: column.json<InheritedNotifications>(), ids: column.ints },
});

/** What the subscriptions of the organization's accounts inherit, by account; one object for all that are alike. */
export async function loadInheritedNotifications(
  sql: Sql,
  realmId: number,
  userIds: readonly number[],
): Promise<Map<number, InheritedNotifications>> {
  const rows = await sql.rows(byIds, [realmId, userIds]);
  const byAccount = new Map<number, InheritedNotifications>();
  for (const { ids, inherited } of rows) for (const id of ids) byAccount.set(id, inherited);
  return byAccount;
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
