import {
  type OutgoingMessage,
  type Realm,
  loadAccounts,
  loadVisibleMessages,
} from "@carillon/model";
import type { Sql } from "@carillon/db";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { composeReminders, type ReminderText } from "../reminders.ts";
import type { DueRow } from "./due-row.ts";
import type { DeliverOptions } from "./delivery-options.ts";

/**
 * Composes the messages of due reminders, which the notification bot sends (scheduled-messages.md §8). Each quotes the
 * current text of its message, or the text stored when the reminder was created if its account no longer sees the
 * message.
 */
export async function composeDueReminders(
  { site, parser }: Pick<DeliverOptions, "site" | "parser">,
  sql: Sql,
  realm: Realm,
  rows: readonly DueRow[],
): Promise<Map<DueRow, OutgoingMessage>> {
  const outgoing = new Map<DueRow, OutgoingMessage>();
  if (rows.length === 0) return outgoing;
  const wanted = rows.map(({ senderId, targetId }) => ({
    accountId: senderId,
    messageId: targetId ?? 0,
  }));
  const [seen, bot, accounts] = await Promise.all([
    loadVisibleMessages(sql, realm.id, wanted),
    systemBot(sql, realm.id, "notification"),
    loadAccounts(
      sql,
      realm.id,
      wanted.map(({ accountId }) => accountId),
    ),
  ]);
  const due = rows.map((row, i) => ({
    row,
    account: accounts.get(row.senderId)!,
    message: seen[i],
    note: row.note,
  }));
  const visible = due.flatMap(({ message, ...rest }) => (message ? [{ ...rest, message }] : []));
  const texts = await composeReminders(sql, site, realm, visible, parser);
  const current = new Map(visible.map(({ row }, i) => [row, texts[i]!]));
  for (const { row, account } of due) {
    const text = current.get(row) ?? lastKnown(row);
    const notice = { content: text.content, html: text.html };
    const composed = await composeNotice(sql, { bot, target: directTo(bot, account), notice });
    // The bot that sends it may not read the files that the text links to.
    const { hasLink, hasImage } = text;
    const rendered = { ...composed.rendered, hasLink, hasImage };
    outgoing.set(row, { ...composed, rendered, scheduledMessageId: row.id });
  }
  return outgoing;
}

function lastKnown({ content, renderedContent: html }: DueRow): ReminderText {
  return { content, html, hasLink: false, hasImage: false, hasAttachment: false };
}
