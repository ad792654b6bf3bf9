import {
  errors,
  flagAdded,
  flagRemoved,
  type LoggedFields,
  type NewEvent,
} from "@carillon/contract";
import { notNull, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type AccessibleMessage, type Account, anyMention, flag } from "@carillon/model";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import {
  lockChangeable,
  loadChangeable,
  type ChangeableMessages,
  type Unseen,
} from "./changeable-messages.ts";

/** A flag that an account may change on its own copies (messages.md §3). */
export type EditableFlag = "read" | "starred" | "collapsed";

interface FlagChange {
  readonly op: "add" | "remove";
  readonly flag: EditableFlag;
  /** Any integers, not checked yet. */
  readonly ids: readonly number[];
  /** What to do if the account cannot see one of the messages. */
  readonly unseen: Unseen;
}

interface FlagChanged {
  /** Number of messages that changed. */
  readonly changed: number;
  /** Channels whose messages stay read because the account is not subscribed, ascending. */
  readonly ignored: number[];
}

/**
 * Changes a flag of the account's own copies of messages (messages.md §7), and sends the changes to its clients.
 * @throws ApiError `BAD_REQUEST` if the account cannot see one of the messages, `UNAUTHORIZED`
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

/** Adds the flag to messages, emits the change, and returns the number of changed messages. */
async function add(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
  unseen: Unseen,
): Promise<number> {
  const bits = { set: flag[name], clear: 0 };
  const changed =
    name === "read"
      ? await markRead(tx, account, ids)
      : await writeCopies(
          tx,
          account.id,
          seenOf(await lockChangeable(tx, account, ids, unseen), unseen),
          bits,
          bits.set | flag.read | flag.historical,
        );
  if (changed.length > 0)
    emit(tx, account.realmId, [flagAddition(name, idsOf(changed), [account.id])]);
  return changed.length;
}

/** Marks messages read, and removes their notifications from the account's devices (push.md §9). */
async function markRead(
  tx: Tx,
  { id: userId, realmId }: Account,
  ids: readonly number[],
): Promise<readonly ChangedCopy[]> {
  const changed = await rewriteCopies(tx, userId, ids.filter(Number.isSafeInteger), {
    set: flag.read,
    clear: flag.activeMobilePush,
  });
  const pushed = idsOf(changed.filter((copy) => copy.pushed));
  await recordPushRemovals(tx, realmId, [{ userId, ids: pushed }]);
  return changed;
}

/** Removes the flag from messages, emits the change, and returns the number of changed messages. */
async function remove(
  tx: Tx,
  account: Account,
  name: EditableFlag,
  ids: readonly number[],
  unseen: Unseen,
): Promise<number> {
  await loadChangeable(tx, account, ids, unseen);
  const changed = await rewriteCopies(tx, account.id, ids, { set: 0, clear: flag[name] });
  if (changed.length > 0)
    emit(tx, account.realmId, [flagRemoval(name, idsOf(changed), [account.id])]);
  return changed.length;
}

/** Marks messages unread, except in channels that the account is not subscribed to. */
async function markUnread(
  tx: Tx,
  account: Account,
  ids: readonly number[],
  unseen: Unseen,
): Promise<FlagChanged> {
  const { seen, copiesOnly } = await lockChangeable(tx, account, ids, unseen);
  const ignored = new Set(copiesOnly.values());
  const unread: number[] = [];
  for (const { id, channel } of seen.values())
    if (channel && !channel.subscribed) ignored.add(channel.id);
    else unread.push(id);
  const bits = { set: 0, clear: flag.read };
  const changed = await writeCopies(tx, account.id, unread, bits, flag.historical);
  if (changed.length > 0) {
    const details = detailsOf(account.id, seen, changed);
    emit(tx, account.realmId, [flagRemoval("read", idsOf(changed), [account.id], details)]);
  }
  return { changed: changed.length, ignored: [...ignored].toSorted((a, b) => a - b) };
}

function idsOf(copies: readonly ChangedCopy[]): number[] {
  return copies.map(({ id }) => id);
}

/**
 * Returns the messages that the account can see. A flag is added only to these, even if the account has copies of
 * others.
 * @throws ApiError `BAD_REQUEST` if there are others and `unseen` is "refused"
 */
function seenOf({ seen, copiesOnly }: ChangeableMessages, unseen: Unseen): number[] {
  if (copiesOnly.size > 0 && unseen === "refused")
    throw errors.badRequest("One of the messages is in a channel that you cannot read any more");
  return [...seen.keys()];
}

/** Bits of `user_messages.flags` to set and to clear. */
interface Bits {
  readonly set: number;
  readonly clear: number;
}

/** A copy that was changed or inserted. */
interface ChangedCopy {
  readonly id: number;
  readonly flags: number;
}

/** A copy that was changed. */
interface RewrittenCopy extends ChangedCopy {
  /** Whether a notification of it was on the account's devices. */
  readonly pushed: boolean;
}

/** Locks in the order of ids, so that two requests of an account cannot deadlock. */
const rewrite = statement({
  name: "flags-of-copies",
  // `flags`: after the change.
  text: `WITH held AS MATERIALIZED (
      SELECT message_id, flags & ${flag.activeMobilePush} <> 0 AS pushed FROM user_messages
      WHERE user_id = $1 AND message_id = ANY(ARRAY(SELECT unnest($2::bigint[]))) AND flags <> (flags & ~$4::int | $3::int)
      ORDER BY message_id FOR NO KEY UPDATE
    ), written AS (
      UPDATE user_messages um SET flags = um.flags & ~$4::int | $3::int FROM held
      WHERE um.user_id = $1 AND um.message_id = held.message_id AND um.flags <> (um.flags & ~$4::int | $3::int)
      RETURNING um.message_id AS id, um.flags, held.pushed
    ) SELECT id, flags, pushed FROM written ORDER BY id`,
  overrides: { pushed: notNull },
});

/**
 * Changes the account's existing copies of the messages.
 * @param ids ascending
 * @returns the changed copies, ascending
 */
function rewriteCopies(
  tx: Tx,
  userId: number,
  ids: readonly number[],
  { set, clear }: Bits,
): Promise<RewrittenCopy[]> {
  return tx.lock({ name: "copies", keys: ids }, rewrite, [userId, ids, set, clear]);
}

const write = statement({
  name: "flags-of-copies-and-new-ones",
  // `flags`: after the change.
  text: `WITH written AS (
      INSERT INTO user_messages AS um (user_id, message_id, flags)
      SELECT $1, id, $5 FROM unnest($2::bigint[]) AS id ORDER BY id
      ON CONFLICT (user_id, message_id) DO UPDATE SET flags = um.flags & ~$4::int | $3::int
        WHERE um.flags <> (um.flags & ~$4::int | $3::int)
      RETURNING um.message_id AS id, um.flags
    ) SELECT id, flags FROM written ORDER BY id`,
});

/**
 * Changes the account's copies of the messages, and inserts missing ones with the flags `fresh`.
 * @param ids ascending, of messages that the transaction has locked
 */
export function writeCopies(
  tx: Tx,
  userId: number,
  ids: readonly number[],
  { set, clear }: Bits,
  fresh: number,
): Promise<ChangedCopy[]> {
  return tx.rows(write, [userId, ids, set, clear, fresh]);
}

type Removed = LoggedFields<typeof flagRemoved>;

/**
 * Makes the event that accounts have added a flag to messages.
 * @param messages ids, ascending
 * @param audience ids of the accounts, ascending
 */
export function flagAddition(flag: string, messages: number[], audience: number[]): NewEvent {
  return flagAdded({ operation: "add", flag, messages, all: false }, { audience });
}

/**
 * Makes the event that the account has read everything. The account must have no unread message whose event precedes
 * this one (see `nothingUnread`).
 */
export function allRead(userId: number): NewEvent {
  return flagAdded(
    { operation: "add", flag: "read", messages: [], all: true },
    { audience: [userId] },
  );
}

/** Makes the event that accounts have removed a flag from messages. @param details places of messages that are now unread */
function flagRemoval(
  flag: string,
  messages: number[],
  audience: number[],
  details?: Removed["message_details"],
): NewEvent {
  const fields = { operation: "remove", flag, messages, all: false } as const;
  return flagRemoved(details ? { ...fields, message_details: details } : fields, { audience });
}

/** Messages whose flag changed for an account. */
interface ChangedFor {
  readonly userId: number;
  /** Ascending; no event is made if empty. */
  readonly ids: readonly number[];
}

/** Makes the events of messages that are now read: one for each group of accounts with the same messages. */
export function readEvents(read: readonly ChangedFor[]): NewEvent[] {
  return groupByMessages(read).map(({ ids, userIds }) => flagAddition("read", ids, userIds));
}

/** Makes the events of messages that are no longer starred: one for each group of accounts with the same messages. */
export function unstarredEvents(unstarred: readonly ChangedFor[]): NewEvent[] {
  return groupByMessages(unstarred).map(({ ids, userIds }) => flagRemoval("starred", ids, userIds));
}

/** Groups accounts whose flags changed on the same messages. */
function groupByMessages(
  changed: readonly ChangedFor[],
): Array<{ ids: number[]; userIds: number[] }> {
  const groups = new Map<string, { ids: number[]; userIds: number[] }>();
  for (const { userId, ids } of changed) {
    if (ids.length === 0) continue;
    const same = groups.get(ids.join(","));
    if (same) same.userIds.push(userId);
    else groups.set(ids.join(","), { ids: [...ids], userIds: [userId] });
  }
  return [...groups.values()].map(({ ids, userIds }) => ({
    ids,
    userIds: userIds.toSorted((a, b) => a - b),
  }));
}

type Details = NonNullable<LoggedFields<typeof flagRemoved>["message_details"]>;

/** Describes the place of messages that are now unread, by id: clients may not have loaded them (events.md §4). */
function detailsOf(
  ownId: number,
  seen: ReadonlyMap<number, AccessibleMessage>,
  unread: readonly ChangedCopy[],
): Details {
  return Object.fromEntries(
    unread.flatMap(({ id, flags }) => {
      const message = seen.get(id);
      if (!message) return [];
      const mentioned = (flags & anyMention) === 0 ? {} : { mentioned: true as const };
      return [[String(id), { ...placeOf(ownId, message), ...mentioned }]];
    }),
  );
}

function placeOf(
  ownId: number,
  { channelId, topic, memberIds }: AccessibleMessage,
): Details[string] {
  if (channelId !== null) return { type: "stream", stream_id: channelId, topic };
  return { type: "private", user_ids: (memberIds ?? []).filter((id) => id !== ownId) };
}
