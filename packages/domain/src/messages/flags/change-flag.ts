import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, flag } from "@carillon/model";

import { detailsOf } from "./details.ts";
import { flagAddition, flagRemoval } from "./flag-events.ts";
import { holdReached, reach, type Reached } from "./reach.ts";
import { rewriteCopies, type WrittenCopy, writeCopies } from "./write-copies.ts";

/** A flag that its account may change (messages.md §3). */
export type EditableFlag = "read" | "starred" | "collapsed";

export interface FlagChange {
  readonly op: "add" | "remove";
  readonly flag: EditableFlag;
  /** Any integers. */
  readonly ids: readonly number[];
}

/**
 * Changes a flag of the account's own copies of messages (messages.md §7), and tells its clients what has changed.
 * @returns the channels whose messages stay read since the account is not subscribed to them, ascending
 * @throws ApiError `BAD_REQUEST` where one of the messages is not the account's to see, `UNAUTHORIZED`
 */
export async function changeFlag(tx: Tx, account: Account, change: FlagChange): Promise<number[]> {
  const ids = [...new Set(change.ids)].toSorted((a, b) => a - b);
  const { op, flag: name } = change;
  if (op === "add") await add(tx, account, name, ids);
  else if (name === "read") return markUnread(tx, account, ids);
  else await remove(tx, account, name, ids);
  return [];
}

async function add(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
): Promise<void> {
  const bits = { set: flag[name], clear: 0 };
  const written =
    name === "read"
      ? await rewriteCopies(tx, account.id, ids.filter(Number.isSafeInteger), bits)
      : await writeCopies(
          tx,
          account.id,
          seenOf(await holdReached(tx, account, ids)),
          bits,
          bits.set | flag.read | flag.historical,
        );
  if (written.length > 0)
    emit(tx, account.realmId, [flagAddition(name, idsOf(written), [account.id])]);
}

async function remove(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
): Promise<void> {
  await reach(tx, account, ids);
  const written = await rewriteCopies(tx, account.id, ids, { set: 0, clear: flag[name] });
  if (written.length > 0)
    emit(tx, account.realmId, [flagRemoval(name, idsOf(written), [account.id])]);
}

/** Unread implies subscribed. @returns the channels of what stays read */
async function markUnread(tx: Tx, account: Account, ids: readonly number[]): Promise<number[]> {
  const { seen, left } = await holdReached(tx, account, ids);
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
  return [...ignored].toSorted((a, b) => a - b);
}

function idsOf(copies: readonly WrittenCopy[]): number[] {
  return copies.map(({ id }) => id);
}

/**
 * A flag is added only to what is seen, though the account may have a copy of more.
 * @throws ApiError `BAD_REQUEST`
 */
function seenOf({ seen, left }: Reached): number[] {
  if (left.size > 0)
    throw errors.badRequest("One of the messages is in a channel that you cannot read any more");
  return [...seen.keys()];
}
