import { type OutgoingMessage, loadAccounts, loadRealm } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { notice, paragraph, silentGroup, silentUser } from "@carillon/markdown";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

const groupName = statement({
  name: "group-name",
  text: "SELECT name FROM named_user_group WHERE realm_id = $1 AND id = $2",
  row: { name: column.text },
});

/**
 * Tells people, each in a direct message from the notification bot, that somebody has added them to a user group or
 * removed them from it (user-groups.md §5.5). Nothing to those who are deactivated by now.
 */
export async function sendGroupMembershipNotices(
  tx: Tx,
  realmId: number,
  wanted: {
    actorId: number;
    groupId: number;
    userIds: readonly number[];
    change: "added" | "removed";
  },
): Promise<void> {
  const realm = await loadRealm(tx, realmId);
  const accounts = await loadAccounts(tx, realmId, [wanted.actorId, ...wanted.userIds]);
  const group = await tx.first(groupName, [realmId, wanted.groupId]);
  const actor = accounts.get(wanted.actorId);
  if (!actor || !group) return;
  const bot = await systemBot(tx, realmId, "notification");
  const [who, which] = [silentUser(actor), silentGroup({ ...group, id: wanted.groupId })];
  const said = notice(
    wanted.change === "added"
      ? paragraph`${who} added you to the user group ${which}.`
      : paragraph`${who} removed you from the user group ${which}.`,
  );
  const messages: OutgoingMessage[] = [];
  for (const id of wanted.userIds) {
    const user = accounts.get(id);
    if (!user?.isActive) continue;
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, user), notice: said }));
  }
  if (messages.length === 0) return;
  const { events } = await sendMessages(tx, realm, messages);
  emit(tx, realmId, events);
}
