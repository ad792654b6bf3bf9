import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { composeNotice, directTo, silentMention, systemBot } from "../messages/notice.ts";
import type { OutgoingMessage } from "../messages/outgoing.ts";
import { sendMessages } from "../messages/send.ts";
import { loadRealm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import { loadAccounts } from "../users/account.ts";

/**
 * Tells people, each in a direct message from the notification bot, that somebody has added them to a user group or
 * removed them from it (user-groups.md §5.5). Nothing to those who are deactivated by now.
 */
export async function sendGroupMembershipNotices(
  tx: Tx,
  site: Site,
  realmId: number,
  notice: {
    actorId: number;
    groupId: number;
    userIds: readonly number[];
    change: "added" | "removed";
  },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [notice.actorId, ...notice.userIds]);
  const group = await tx.first<{ name: string }>(
    "SELECT name FROM named_user_group WHERE realm_id = $1 AND id = $2",
    [realmId, notice.groupId],
  );
  const actor = accounts.get(notice.actorId);
  if (!actor || !group) return;
  const bot = await systemBot(tx, realmId, "notification");
  const content =
    notice.change === "added"
      ? `${silentMention(actor)} added you to the user group @_*${group.name}*.`
      : `${silentMention(actor)} removed you from the user group @_*${group.name}*.`;
  const messages: OutgoingMessage[] = [];
  for (const id of notice.userIds) {
    const user = accounts.get(id);
    if (!user?.isActive) continue;
    messages.push(
      await composeNotice(tx, realm, site, { bot, target: directTo(bot, user), content }),
    );
  }
  if (messages.length === 0) return;
  const { events } = await sendMessages(tx, realm, messages);
  emit(tx, realmId, events);
}
