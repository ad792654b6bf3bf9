import type { Sql } from "@carillon/db";
import { parseMessage, renderMessage } from "@carillon/markdown";

import type { Realm } from "../realms/realm.ts";
import { accountColumns, type Account } from "../users/account.ts";
import { clientIdOf } from "./clients.ts";
import type { Target } from "./draft.ts";
import { loadRendering } from "./mention-lookups.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import { membersOf } from "./recipients.ts";

/** Name of the program under which the server itself sends. */
const internalClient = "Internal";

/** The organization's own bot of that kind. */
export async function systemBot(
  sql: Sql,
  realmId: number,
  kind: "notification" | "welcome",
): Promise<Account> {
  const [bot] = await sql.rows<Account>(
    {
      name: "system-bot",
      text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.system_bot_kind = $2`,
    },
    [realmId, kind],
  );
  if (!bot) throw new Error(`organization ${realmId} has no ${kind} bot`);
  return bot;
}

/** Where a notice goes. */
export function directTo(bot: Account, account: Account): Target {
  const participants = bot.id < account.id ? [bot, account] : [account, bot];
  return { kind: "direct", members: membersOf(bot.id, [account.id]), participants };
}

/**
 * A message of the organization's own bot, ready for `sendMessages`. The server's own words need no permission; where
 * they mention somebody, they do so silently.
 */
export async function composeNotice(
  sql: Sql,
  realm: Realm,
  site: { readonly url: string },
  notice: {
    bot: Account;
    target: Target;
    topic?: string;
    content: string;
    readBy?: readonly number[];
  },
): Promise<OutgoingMessage> {
  const { bot, target, topic = "", content, readBy = [] } = notice;
  const parsed = parseMessage(content);
  const { lookups, ...context } = await loadRendering(sql, realm.id, site.url, [
    { parsed, authorId: bot.id },
  ]);
  return {
    sender: bot,
    target,
    topic,
    content,
    mentionedFollowers: [],
    rendered: renderMessage(parsed, lookups.of(parsed, bot, context)),
    clientId: await clientIdOf(sql, internalClient),
    clientName: internalClient,
    readBySender: true,
    readBy,
  };
}

/** How a notice names an account without calling it. */
export function silentMention({ id, fullName }: Pick<Account, "id" | "fullName">): string {
  return `@_**${fullName}|${id}**`;
}
