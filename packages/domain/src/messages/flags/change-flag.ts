import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, flag } from "@carillon/model";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { detailsOf } from "./details.ts";
import { flagAddition, flagRemoval } from "./flag-events.ts";
import { holdReached, reach, type Reached, type Unseen } from "./reach.ts";
import { rewriteCopies, type WrittenCopy, writeCopies } from "./write-copies.ts";

/** A flag that its account may change (messages.md §3). */
export type EditableFlag = "read" | "starred" | "collapsed";

export interface FlagChange {
  readonly op: "add" | "remove";
  readonly flag: EditableFlag;
  /** Any integers. */
  readonly ids: readonly number[];
  /** What becomes of the change where one of them is not the account's to see. */
  readonly unseen: Unseen;
}

export interface FlagChanged {
  /** How many messages were different before. */
  readonly changed: number;
  /** Channels whose messages stay read since the account is not subscribed to them, ascending. */
  readonly ignored: number[];
}

/**
 * Changes a flag of the account's own copies of messages (messages.md §7), and tells its clients what has changed.
 * @throws ApiError `BAD_REQUEST` where one of the messages is not the account's to see, `UNAUTHORIZED`
 */
export async function changeFlag(
  tx: Tx,
  account: Account,
  { op, flag: name, ids: named, unseen }: FlagChange,
): Promise<FlagChanged> {
  const ids = [...new Set(named)].toSorted((a, b) => a - b);
  if (op === "remove" && name === "read") return markUnread(tx, account, ids, unseen);
  const change = op === "add" ? add : remove;
  return { changed: await change(tx, account, name, ids, unseen), ignored: [] };
}

/** @returns how many messages were different before */
async function add(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
  unseen: Unseen,
): Promise<number> {
  const bits = { set: flag[name], clear: 0 };
  const written =
    name === "read"
      ? await markRead(tx, account, ids)
      : await writeCopies(
          tx,
          account.id,
          seenOf(await holdReached(tx, account, ids, unseen), unseen),
          bits,
          bits.set | flag.read | flag.historical,
        );
  if (written.length > 0)
    emit(tx, account.realmId, [flagAddition(name, idsOf(written), [account.id])]);
  return written.length;
}

/** What is read goes off the account's devices, too (push.md §9). */
async function markRead(
  tx: Tx,
  { id: userId, realmId }: Account,
  ids: readonly number[],
): Promise<readonly WrittenCopy[]> {
  const written = await rewriteCopies(tx, userId, ids.filter(Number.isSafeInteger), {
    set: flag.read,
    clear: flag.activeMobilePush,
  });
  const pushed = idsOf(written.filter((copy) => copy.pushed));
  await recordPushRemovals(tx, realmId, [{ userId, ids: pushed }]);
  return written;
}

/** @returns how many messages were different before */
async function remove(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
  unseen: Unseen,
): Promise<number> {
  await reach(tx, account, ids, unseen);
  const written = await rewriteCopies(tx, account.id, ids, { set: 0, clear: flag[name] });
  if (written.length > 0)
    emit(tx, account.realmId, [flagRemoval(name, idsOf(written), [account.id])]);
  return written.length;
}

/** Unread implies subscribed. */
async function markUnread(
  tx: Tx,
  account: Account,
  ids: readonly number[],
  unseen: Unseen,
): Promise<FlagChanged> {
  const { seen, left } = await holdReached(tx, account, ids, unseen);
  const ignored = new Set(left.values());
  const unread: number[] = [];
  for (const { id, channel } of seen.values())
    if (channel && !channel.subscribed) ignored.add(channel.id);
    else unread.push(id);
  const bits = { set: 0, clear: flag.read };
  const written = await writeCopies(tx, account.id, unread, bits, flag.historical);
  if (written.length > 0) {
    const details = detailsOf(account.id, seen, written);
    emit(tx, account.realmId, [flagRemoval("read", idsOf(written), [account.id], details)]);
  }
  return { changed: written.length, ignored: [...ignored].toSorted((a, b) => a - b) };
}

function idsOf(copies: readonly WrittenCopy[]): number[] {
  return copies.map(({ id }) => id);
}

/**
 * A flag is added only to what is seen, though the account may have a copy of more.
 * @throws ApiError `BAD_REQUEST`
 */
function seenOf({ seen, left }: Reached, unseen: Unseen): number[] {
  if (left.size > 0 && unseen === "refused")
    throw errors.badRequest("One of the messages is in a channel that you cannot read any more");
  return [...seen.keys()];
}
