import type { NewEvent } from "@carillon/contract";
import { isTransient, type Tx } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { type Notice, notice, paragraph, silentUser, verbatim } from "@carillon/markdown";
import { type Account, loadAccounts, type Realm } from "@carillon/model";

import { composeNotice, directTo } from "../../messages/send/notice.ts";
import { systemBot } from "../../messages/send/system-bot.ts";
import { sendMessages } from "../../messages/send/send.ts";
import { loadManagers } from "./series-events.ts";
import type { SeriesRow } from "./series-row.ts";

/**
 * A notice about a series.
 * - `rule`: to its author; its rule or time zone can no longer be used.
 * - `handedOver`: to its managers; the notification bot sends it for its deactivated author.
 */
export interface SeriesNotice {
  readonly kind: "rule" | "handedOver";
  readonly series: SeriesRow;
}

/** Maximum number of managers that get the notice about a deactivated author. */
const maxNotifiedManagers = 20;

/**
 * Sends notices about series from the notification bot, all in one savepoint. If that throws, logs the error and sends none.
 * @param log without it the error is thrown
 * @returns the events, for the transaction's one `emit`
 * @throws what a lost connection, a deadlock or a lock timeout throws
 */
export async function sendSeriesNotices(
  tx: Tx,
  log: Logger | undefined,
  realm: Realm,
  notices: readonly SeriesNotice[],
): Promise<readonly NewEvent[]> {
  if (notices.length === 0) return [];
  try {
    return await tx.savepoint(() => send(tx, realm, notices));
  } catch (error) {
    if (!log || isTransient(error)) throw error;
    log.error({ err: error, realmId: realm.id }, "notices about series could not be sent");
    return [];
  }
}

async function send(
  tx: Tx,
  realm: Realm,
  notices: readonly SeriesNotice[],
): Promise<readonly NewEvent[]> {
  const bot = await systemBot(tx, realm.id, "notification");
  const handedOver = notices.filter(({ kind }) => kind === "handedOver");
  const groups = await loadManagers(
    tx,
    handedOver.map(({ series }) => series.canManageGroupId),
    maxNotifiedManagers,
  );
  const receivers = notices.map(({ kind, series }) =>
    kind === "rule" ? [series.authorId] : (groups.get(series.canManageGroupId) ?? []),
  );
  const accounts = await loadAccounts(tx, realm.id, [
    ...receivers.flat(),
    ...notices.map(({ series }) => series.authorId),
  ]);
  const outgoing = [];
  for (const [i, each] of notices.entries())
    for (const id of receivers[i]!) {
      const account = accounts.get(id);
      if (!account?.isActive) continue;
      const target = directTo(bot, account);
      const text = textOf(each, accounts.get(each.series.authorId));
      outgoing.push(await composeNotice(tx, { bot, target, notice: text }));
    }
  return (await sendMessages(tx, realm, outgoing)).events;
}

function textOf({ kind, series }: SeriesNotice, author: Account | undefined): Notice {
  if (kind === "rule")
    return notice(
      paragraph`Your message series ${verbatim(String(series.id))} is paused: its rule or its time zone can no longer be used on this server.`,
      paragraph`Edit its rule or its time zone, and resume it.`,
    );
  return notice(
    paragraph`The account of ${author ? silentUser(author) : verbatim("the author")} is deactivated. I send their message series ${verbatim(String(series.id))} from now on.`,
    paragraph`You manage it: take it over, which makes you its author, or pause or delete it.`,
  );
}
