import type { Account, OutgoingMessage, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";
import type { NewEvent } from "@carillon/contract";
import { notice, type Notice, paragraph, silentUser } from "@carillon/markdown";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";

/**
 * Sends new people, each, a direct message of the welcome bot: a terminal client does not start for an account that
 * can see no message at all (clients.md §2.3).
 * @returns its events, for the transaction's one `emit`
 */
export async function welcome(
  tx: Tx,
  realm: Realm,
  people: readonly Account[],
): Promise<readonly NewEvent[]> {
  const bot = await systemBot(tx, realm.id, "welcome");
  const messages: OutgoingMessage[] = [];
  for (const person of people) {
    const said = welcomeNotice(person);
    messages.push(await composeNotice(tx, { bot, target: directTo(bot, person), notice: said }));
  }
  return (await sendMessages(tx, realm, messages)).events;
}

function welcomeNotice(person: Account): Notice {
  return notice(
    paragraph`Welcome, ${silentUser(person)}!`,
    paragraph`This is a direct message: nobody else sees it. What a team talks about is in channels, and every message there has a topic, so that you can follow one conversation and leave the others for later.`,
  );
}
