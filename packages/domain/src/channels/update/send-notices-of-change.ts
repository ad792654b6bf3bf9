import { holdAudiences, loadAccounts, loadRealm } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { postChannelNotices } from "../notices/post-channel-notice.ts";
import { changeNotices } from "./change-notices.ts";
import type { LoggedValue } from "./notice-words.ts";
import type { Privacy } from "./privacy.ts";

const logged = statement({
  name: "logged-changes",
  text: `SELECT extra_data->>'setting' AS name, extra_data->'old' AS before, extra_data->'new' AS value
    FROM audit_log WHERE realm_id = $1 AND id = ANY($2::bigint[]) ORDER BY id`,
  row: {
    name: column.text.neverNullHere(),
    before: column.json<LoggedValue>().orNull(),
    value: column.json<LoggedValue>().orNull(),
  },
});

/**
 * Posts what the notification bot has to say of a change to a channel (channels.md §9), to whom the channel has by now.
 * It waits for nobody but those who change its subscriptions, as everybody does who sends to it.
 */
export async function sendChannelChangedNotices(
  tx: Tx,
  realmId: number,
  wanted: { actorId: number; channelId: number; auditIds: readonly number[]; privacy: Privacy },
): Promise<void> {
  const { actorId, channelId, auditIds, privacy } = wanted;
  const [, realm, accounts, changes] = await Promise.all([
    holdAudiences(tx, [channelId]),
    loadRealm(tx, realmId),
    loadAccounts(tx, realmId, [actorId]),
    tx.rows(logged, [realmId, auditIds]),
  ]);
  const actor = accounts.get(actorId);
  if (!actor) return;
  const said = await changeNotices(tx, actor, changes, privacy);
  const notices = said.map((notice) => ({ channelId, notice }));
  emit(tx, realmId, await postChannelNotices(tx, realm, actor, notices));
}
