import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  loadOwnSettings,
  loadRealm,
  lockAccount,
  recordAudit,
  storeSettings,
} from "@carillon/model";

import { subscriptionPropertyEvent } from "../channels/subscription-properties.ts";
import { settingEvent } from "../settings/update-defaults.ts";
import type { UnsubscribeHolder } from "./unsubscribe-token.ts";

/** The settings that turn on mails about missed messages. */
const mailSettings = [
  "enable_offline_email_notifications",
  "enable_followed_topic_email_notifications",
  "enable_stream_email_notifications",
] as const;

/** Turns mails off in subscriptions whose own setting turns them on. */
const quieten = statement({
  name: "subscriptions-without-mail",
  text: `UPDATE subscriptions s SET email_notifications = false FROM (
      SELECT o.channel_id, c.is_archived FROM subscriptions o JOIN channels c ON c.id = o.channel_id
      WHERE o.user_id = $1 AND o.email_notifications ORDER BY o.channel_id FOR NO KEY UPDATE OF o) own
    WHERE s.user_id = $1 AND s.channel_id = own.channel_id
    RETURNING s.channel_id AS id, own.is_archived AS "isArchived", s.active`,
});

/** Drops pending messages, so that they are not mailed even if the settings are turned on again. */
const forget = statement({
  name: "missed-mails-forget",
  text: `UPDATE missed_mails SET message_ids = '{}', more = 0, since = NULL, due_at = NULL WHERE user_id = $1`,
});

/**
 * Ends all mails about missed messages for the account of a link, and sends the changed settings to its clients
 * (settings-and-profile-fields.md §1.4). Has no effect on an account that gets none.
 */
export async function unsubscribe(tx: Tx, holder: UnsubscribeHolder): Promise<void> {
  const { id, realmId } = holder;
  const account = await lockAccount(tx, realmId, id);
  if (!account?.isActive) return;
  const own = await loadOwnSettings(tx, await loadRealm(tx, realmId), id);
  const changed = mailSettings.filter((name) => own[name] !== false);
  if (changed.length > 0)
    await storeSettings(tx, id, Object.fromEntries(changed.map((name) => [name, false])));
  const channels = await tx.lock({ name: "subscriptions", fresh: true }, quieten, [id]);
  await tx.lock({ name: "missedMails", keys: [id] }, forget, [id]);
  if (changed.length + channels.length === 0) return;
  recordAudit(tx, realmId, id, [
    {
      type: "mails_unsubscribed",
      userId: id,
      data: { settings: changed, channels: channels.length },
    },
  ]);
  emit(tx, realmId, [
    ...changed.map((name) => settingEvent(name, false, [id])),
    ...channels
      .filter(({ active }) => active)
      .map((channel) =>
        subscriptionPropertyEvent(id, channel, { property: "email_notifications", value: false }),
      ),
  ]);
}
