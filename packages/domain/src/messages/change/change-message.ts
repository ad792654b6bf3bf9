import type { AttachmentObject, NewEvent } from "@carillon/contract";
import { ChangedMeanwhile, type Transacts, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  checkChangeable,
  loadMessageAudience,
  loadPostingChannels,
  requireMessage,
  type Site,
} from "@carillon/model";

import { detachedUploads, replaceClaims, type ReplacedClaims } from "../../files/claims.ts";
import { makeCopiesOf } from "../deferred/make-copies.ts";
import { lostAccessEvents } from "../removal/deletion-events.ts";
import { runRemoval } from "../removal/run-removal.ts";
import { systemBot } from "../send/system-bot.ts";
import { afterMove } from "./after-move.ts";
import { checkChange, loadText, type WantedChange } from "./check-change.ts";
import { changesChannel, type Move } from "./check-move.ts";
import {
  type ChangeToApply,
  type LockedChange,
  lockContent,
  lockMove,
  asksToMove,
} from "./lock-change.ts";
import { findUndoneNotice } from "./move-notices.ts";
import { rewriteFlags } from "./copy-flags.ts";
import { moveCopies } from "./move-copies.ts";
import { storeMove, storeText } from "./store-change.ts";
import { targetHasMessages } from "./topic-messages.ts";
import { loadReceivers, type ReceiverGroup, updateEvents } from "./update-events.ts";

/**
 * Changes the content of a message, or moves it with others of its topic (messages.md §6.2), in one transaction with
 * all consequences.
 * @returns the editor's files that nothing shows any more (files.md §3)
 * @throws ApiError the first failed check; nothing has changed then
 */
export function changeMessage(
  { db, site }: { readonly db: Transacts<AttachmentObject[]>; readonly site: Site },
  account: Account,
  id: number,
  wanted: WantedChange,
): Promise<AttachmentObject[]> {
  return runRemoval(db, (tx, blockSends) => change(tx, site, account, id, wanted, blockSends));
}

async function change(
  tx: Tx,
  site: Site,
  account: Account,
  id: number,
  wanted: WantedChange,
  blockSends: boolean,
): Promise<AttachmentObject[]> {
  const seen = await requireMessage(tx, account, id);
  checkChangeable(seen);
  const moves = asksToMove(seen, wanted);
  // Check the permission before locking: a topic may have any number of messages, and a request without the permission
  // should neither wait for their locks nor block others.
  if (moves && wanted.content === undefined)
    await checkChange(tx, site, account, seen, wanted, undefined);
  const locked = moves
    ? await lockMove(tx, account, seen, wanted, blockSends)
    : await lockContent(tx, account, id);
  return (await changeLockedMessage(tx, site, locked, wanted)).detached;
}

/** The results of a change. */
interface ChangeResult {
  /** Whether anything has changed. */
  readonly changed: boolean;
  /** The editor's files that nothing shows any more. */
  readonly detached: AttachmentObject[];
}

/**
 * Checks and makes the change of a locked message, with all consequences.
 * @throws ApiError the first failed check
 */
export async function changeLockedMessage(
  tx: Tx,
  site: Site,
  locked: LockedChange,
  wanted: WantedChange,
): Promise<ChangeResult> {
  const { actor, message } = locked;
  const stored =
    wanted.content === undefined ? undefined : await loadText(tx, actor.realmId, message.id);
  const checked = await checkChange(tx, site, actor, message, wanted, stored);
  const { events, lost } = await applyChange(tx, locked, { ...checked, stored, wanted });
  emit(tx, actor.realmId, events);
  const changed = checked.text !== undefined || checked.move !== undefined;
  return { changed, detached: await detachedUploads(tx, actor.id, lost) };
}

/**
 * Applies a change that has passed all checks, with its consequences. The number of statements depends neither on the
 * number of messages nor on the number of receivers.
 * @returns the events, in order, and the files that the message does not claim any more
 */
async function applyChange(
  tx: Tx,
  locked: LockedChange,
  change: ChangeToApply,
): Promise<ReplacedClaims> {
  const { actor, message, ids, lockedChannels } = locked;
  const { text, move, wanted } = change;
  if (!text && !move) return { events: [], lost: [] };
  if (move && !lockedChannels?.channels.has(move.to.channel.recipientId))
    throw new ChangedMeanwhile(`channel ${move.to.channel.id} became visible`);
  if (move && changesChannel(move))
    await makeCopiesOf(tx, { from: move.from.channel.id, to: move.to.channel.id }, ids);
  const receivers =
    move && lockedChannels
      ? await loadReceivers(tx, locked, lockedChannels, move)
      : [{ ids, seeing: await loadMessageAudience(tx, message), losingAccess: [] }];
  const merges = move !== undefined && (await targetHasMessages(tx, move));
  if (move) await storeMove(tx, actor, ids, move);
  const bot = move && (await systemBot(tx, actor.realmId, "notification"));
  const undoneNoticeId = bot && move.toggle ? await findUndoneNotice(tx, bot, move) : undefined;
  if (text) await storeText(tx, actor, message, text, move);
  if (text) {
    const { channelId } = message;
    const channels = channelId === null ? [] : [channelId];
    const loaded = await loadPostingChannels(tx, actor.realmId, channels, []);
    await rewriteFlags(tx, actor, message, loaded.get(channelId ?? 0), text);
  }
  const copies =
    move && changesChannel(move)
      ? await moveCopies(tx, actor.realmId, move, ids, accountsLosingAccess(receivers))
      : [];
  const claims =
    text && (text.rendered.hasAttachment || change.stored?.hasAttachment)
      ? await replaceClaims(tx, actor.realmId, {
          id: message.id,
          uploadPaths: text.rendered.uploadPaths,
          pendingImages: text.rendered.pendingImages,
        })
      : { events: [], lost: [] };
  const done = { ...change, actorId: actor.id, message, propagateMode: wanted.propagateMode };
  const events = [
    ...(await updateEvents(tx, done, receivers)),
    ...(move ? losses(move, receivers) : []),
    ...copies,
    ...(bot && lockedChannels
      ? await afterMove(
          tx,
          { ...locked, lockedChannels },
          { ...change, move, merges, bot, undoneNoticeId },
        )
      : []),
    ...claims.events,
  ];
  return { events, lost: claims.lost };
}

function accountsLosingAccess(receivers: readonly ReceiverGroup[]): ReadonlySet<number> {
  return new Set(receivers.flatMap(({ losingAccess }) => losingAccess));
}

function losses({ from }: Move, receivers: readonly ReceiverGroup[]): NewEvent[] {
  const place = { channelId: from.channel.id, topic: from.topic };
  return receivers.flatMap(({ ids, losingAccess }) => lostAccessEvents(place, ids, losingAccess));
}
