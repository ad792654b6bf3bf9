import { ApiError, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import { notice, paragraph, silentUser } from "@carillon/markdown";
import {
  type Account,
  checkTopicsPolicy,
  cutContent,
  loadAccounts,
  loadPostingChannels,
  maxMessageLength,
  type OutgoingMessage,
  type PostingChannel,
  type Realm,
  type Site,
} from "@carillon/model";

import { attempt } from "../../messages/send/attempt.ts";
import { renderFor } from "../../messages/send/check.ts";
import { loadRendering } from "../../messages/send/mention-lookups.ts";
import { composeNotice } from "../../messages/send/notice.ts";
import { systemBot } from "../../messages/send/system-bot.ts";
import { TextParser } from "../../messages/send/text-parser.ts";
import type { DueRow } from "../due-row.ts";
import { rejected } from "../failures.ts";
import type { Failure } from "../outcome.ts";
import { loadManagers } from "./series-events.ts";

/** Occurrences that the notification bot sends because their author is deactivated and their series has managers. */
export interface HandedOver {
  readonly bot: Account;
  readonly rows: ReadonlySet<DueRow>;
}

/**
 * Finds the occurrences that the notification bot sends for a deactivated author (once-and-again.md §3.5): occurrences of
 * channel series with an active manager.
 */
export async function findHandedOver(
  tx: Tx,
  realm: Realm,
  rows: readonly DueRow[],
): Promise<HandedOver | undefined> {
  const orphaned = rows.filter(
    ({ senderActive, series, detached, channelId }) =>
      !senderActive && series && !detached && channelId !== null,
  );
  if (orphaned.length === 0 || realm.deactivated) return undefined;
  const groups = await loadManagers(
    tx,
    orphaned.flatMap(({ series }) => series?.canManageGroupId ?? []),
    1,
  );
  const managed = orphaned.filter(
    ({ series }) => series && (groups.get(series.canManageGroupId) ?? []).length > 0,
  );
  if (managed.length === 0) return undefined;
  return { bot: await systemBot(tx, realm.id, "notification"), rows: new Set(managed) };
}

/**
 * Composes the messages that the notification bot sends for deactivated authors. Their mentions notify no account. A
 * message fails if its channel is archived, or if the channel's policy forbids its topic. The audiences of the channels
 * must be locked.
 * @param parser holds texts that were parsed before the transaction
 */
export async function composeHandedOver(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  bot: Account,
  rows: readonly DueRow[],
  parser = new TextParser(),
): Promise<Map<DueRow, OutgoingMessage | Failure>> {
  const texts = await inSlices(rows, ({ content }) => ({
    parsed: parser.parse(content),
    authorId: bot.id,
  }));
  const [channels, authors, facts] = await Promise.all([
    loadPostingChannels(
      tx,
      realm.id,
      rows.flatMap(({ channelId }) => channelId ?? []),
      [bot.id],
    ),
    loadAccounts(
      tx,
      realm.id,
      rows.map(({ senderId }) => senderId),
    ),
    loadRendering(tx, realm.id, site.url, texts),
  ]);
  const composed = new Map<DueRow, OutgoingMessage | Failure>();
  const results = await inSlices([...rows.entries()], ([i, row]) =>
    attempt(() => {
      checkPlace(channels.get(row.channelId!), row, realm);
      return renderFor(facts, texts[i]!.parsed, bot);
    }),
  );
  for (const [i, row] of rows.entries()) {
    const channel = channels.get(row.channelId!);
    const author = authors.get(row.senderId)!;
    const rendered = results[i]!;
    if (rendered instanceof ApiError) {
      composed.set(row, rejected(row, rendered));
      continue;
    }
    const footer = notice(
      paragraph`This is a message series of ${silentUser(author)}, whose account is deactivated.`,
    );
    const room = maxMessageLength - footer.content.length - 2;
    const message = await composeNotice(tx, {
      bot,
      target: { kind: "channel", channel: channel! },
      topic: row.topic,
      notice: {
        content: `${cutContent(row.content, room)}\n\n${footer.content}`,
        html: `${rendered.html}\n${footer.html}`,
      },
    });
    const { hasLink, hasImage, hasAttachment } = rendered;
    composed.set(row, {
      ...message,
      rendered: { ...message.rendered, hasLink, hasImage, hasAttachment },
      scheduledMessageId: row.id,
    });
  }
  return composed;
}

function checkPlace(channel: PostingChannel | undefined, { topic }: DueRow, realm: Realm): void {
  if (!channel || channel.isArchived) throw errors.badRequest("This channel is archived");
  checkTopicsPolicy(topic, channel.topicsPolicy, realm);
}
