import type { Tx } from "@carillon/db";

import { composeNotice, directTo, systemBot } from "../messages/notice.ts";
import { sendMessages, type SendResult } from "../messages/send.ts";
import type { Realm } from "../realms/realm.ts";
import type { Site } from "../site.ts";
import { loadAccounts } from "../users/account.ts";
import type { Outcome } from "./outcome.ts";

/** Tells each sender, in a direct message from the notification bot, which message was not sent and why. */
export async function sendFailureNotices(
  tx: Tx,
  site: Site,
  realm: Realm,
  failures: ReadonlyArray<Extract<Outcome, { kind: "failed" }>>,
): Promise<SendResult> {
  const bot = await systemBot(tx, realm.id, "notification");
  const senders = await loadAccounts(
    tx,
    realm.id,
    failures.map(({ row }) => row.senderId),
  );
  const notices = [];
  for (const { row, reason } of failures) {
    const sender = senders.get(row.senderId);
    if (!sender) continue;
    const time = new Date(row.deliverAt * 1_000).toISOString();
    const content = `The message that you scheduled for <time:${time}> could not be sent. ${reason}\n\nIt stays in your scheduled messages: give it a new time, or delete it.`;
    const target = directTo(bot, sender);
    notices.push(await composeNotice(tx, realm, site, { bot, target, content }));
  }
  return sendMessages(tx, realm, notices);
}
