import {
  type LoggedFields,
  messageUpdated,
  type NewEvent,
  type PropagateMode,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { isMeMessage, topicLinks } from "@carillon/markdown";
import {
  type AccessibleMessage,
  flag,
  flagNames,
  hasProtectedHistory,
  linkifiersOf,
} from "@carillon/model";

import type { LockedChannels } from "../removal/locked-channels.ts";
import type { LockedChange } from "./lock-change.ts";
import type { CheckedChange, StoredText } from "./check-change.ts";
import { changesChannel, changesTopic, type Move } from "./check-move.ts";
import { type FlaggedAlike, loadFlags } from "./copy-flags.ts";
import { groupByHolders, interestedIn } from "./copy-holders.ts";

type Updated = LoggedFields<typeof messageUpdated>;

/** An applied change of a message. */
interface DoneChange extends CheckedChange {
  readonly actorId: number;
  /** The message before the change. */
  readonly message: AccessibleMessage;
  readonly stored: StoredText | undefined;
  readonly propagateMode: PropagateMode;
}

/** Flags for receivers without a copy, who see the message in shared history. */
const withoutCopy = flagNames(flag.read | flag.historical);

/**
 * Makes the events of a change (events.md §4), one for each group of accounts that see the same messages. Only events
 * that include the changed message have the new content.
 */
export async function updateEvents(
  tx: Tx,
  done: DoneChange,
  groups: readonly ReceiverGroup[],
): Promise<NewEvent[]> {
  const parts = groups.flatMap(({ ids, seeing: userIds }) => {
    const id = ids.includes(done.message.id) ? done.message.id : ids[0];
    return id === undefined || userIds.length === 0 ? [] : [{ id, ids, userIds }];
  });
  if (parts.length === 0) return [];
  const copies = await loadFlags(tx, parts);
  return parts.map(({ id, ids, userIds }) => {
    const { flags, userData } = flagsOf(copies.get(id) ?? [], userIds);
    return messageUpdated(
      {
        user_id: done.actorId,
        message_id: id,
        message_ids: [...ids],
        edit_timestamp: Math.floor(done.realm.now),
        rendering_only: false,
        ...placeFields(done.message),
        ...(id === done.message.id ? textFields(done) : {}),
        ...(done.move ? moveFields(done.move, done) : {}),
        flags,
      },
      { audience: userIds, userData },
    );
  });
}

/** A message whose HTML has changed, and nothing else. */
export interface RenderedAnew {
  readonly id: number;
  readonly channel: { readonly id: number; readonly name: string } | undefined;
  readonly content: string;
  readonly html: string;
  /** UNIX seconds. */
  readonly now: number;
}

/** Makes the event of new HTML of an unchanged text (files.md §5). `userIds` are the message's audience. */
export async function renderingEvent(
  tx: Tx,
  { id, channel, content, html, now }: RenderedAnew,
  userIds: readonly number[],
): Promise<NewEvent> {
  const copies = await loadFlags(tx, [{ id, userIds }]);
  const { flags, userData } = flagsOf(copies.get(id) ?? [], userIds);
  return messageUpdated(
    {
      user_id: null,
      message_id: id,
      message_ids: [id],
      edit_timestamp: now,
      rendering_only: true,
      ...placeFields({ channel }),
      content,
      rendered_content: html,
      is_me_message: isMeMessage(content),
      flags,
    },
    { audience: userIds, userData },
  );
}

/** Returns the most frequent flags among the receivers, and the flags of the others by account. */
function flagsOf(copies: readonly FlaggedAlike[], userIds: readonly number[]) {
  const having = new Set(copies.flatMap((alike) => alike.userIds));
  const others = userIds.filter((id) => !having.has(id));
  const all = [
    ...copies.map((alike) => ({ flags: flagNames(alike.flags), ids: alike.userIds })),
    { flags: withoutCopy, ids: others },
  ].toSorted((a, b) => b.ids.length - a.ids.length);
  const [most, ...rest] = all;
  return {
    flags: most?.flags ?? [],
    userData: Object.fromEntries(
      rest.flatMap(({ flags, ids }) => ids.map((id) => [id, { flags }])),
    ),
  };
}

function placeFields({ channel }: Pick<RenderedAnew, "channel">): Partial<Updated> {
  return channel ? { stream_id: channel.id, stream_name: channel.name } : {};
}

function textFields({ stored, text }: DoneChange): Partial<Updated> {
  if (!text || !stored) return {};
  return {
    orig_content: stored.content,
    orig_rendered_content: stored.renderedContent,
    content: text.content,
    rendered_content: text.rendered.html,
    is_me_message: isMeMessage(text.content),
  };
}

function moveFields(move: Move, { realm, propagateMode }: DoneChange): Partial<Updated> {
  const { from, to } = move;
  const links = () => topicLinks(to.topic, linkifiersOf(realm));
  return {
    orig_subject: from.topic,
    propagate_mode: propagateMode,
    ...(changesTopic(move) ? { subject: to.topic, topic_links: links() } : {}),
    ...(changesChannel(move) ? { new_stream_id: to.channel.id } : {}),
  };
}

/** Messages of a change that share the same receivers. */
export interface ReceiverGroup {
  /** Ascending. */
  readonly ids: readonly number[];
  /** Accounts that could and can read the messages, and have a copy or are subscribed; ascending. */
  readonly seeing: readonly number[];
  /** Accounts that could read the messages and no longer can; ascending. */
  readonly losingAccess: readonly number[];
}

/**
 * Loads the receivers of a move's events (messages.md §6.2), before the move is stored. With shared history, all
 * messages have the same receivers; with protected history, messages are grouped by the accounts that have a copy.
 */
export async function loadReceivers(
  tx: Tx,
  { actor, ids }: LockedChange,
  { readers }: LockedChannels,
  move: Move,
): Promise<ReceiverGroup[]> {
  const { channel } = move.from;
  const elsewhere = changesChannel(move) ? move.to.channel : undefined;
  const before = among(readers.get(channel.id));
  const after = elsewhere ? among(await readersOfMoved(tx, readers, elsewhere)) : before;
  if (hasProtectedHistory(channel)) {
    const groups = await groupByHolders(tx, channel.id, ids);
    return groups.map((group) => {
      const holders = group.holderIds.filter(before);
      return {
        ids: group.ids,
        seeing: holders.filter(after),
        losingAccess: without(holders, after),
      };
    });
  }
  const places = elsewhere ? [channel.id, elsewhere.id] : [channel.id];
  const interested = await interestedIn(tx, places, { channelId: channel.id, ids });
  const losingAccess =
    elsewhere && after !== everybody
      ? without(readers.get(channel.id) ?? (await activeAccounts(tx, actor.realmId)), after)
      : [];
  return [{ ids, seeing: interested.filter((id) => before(id) && after(id)), losingAccess }];
}

type Filter = (id: number) => boolean;

const everybody: Filter = () => true;

function among(ids: readonly number[] | undefined): Filter {
  if (!ids) return everybody;
  const set = new Set(ids);
  return (id) => set.has(id);
}

function without(ids: readonly number[], taken: Filter): number[] {
  return ids.filter((id) => !taken(id));
}

const active = statement({
  name: "accounts-that-read",
  text: `SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL`,
});

const subscribers = statement({
  name: "subscribers-who-receive",
  text: `SELECT coalesce(array_agg(user_id), '{}') AS ids FROM subscriptions
    WHERE channel_id = $1 AND active AND is_user_active`,
});

/**
 * Returns the accounts that will see the moved messages. With protected history these are all subscribers, because each
 * gets a copy.
 */
async function readersOfMoved(
  tx: Tx,
  readers: LockedChannels["readers"],
  channel: Move["to"]["channel"],
): Promise<readonly number[] | undefined> {
  if (!hasProtectedHistory(channel)) return readers.get(channel.id);
  const row = await tx.first(subscribers, [channel.id]);
  return row?.ids ?? [];
}

async function activeAccounts(tx: Tx, realmId: number): Promise<readonly number[]> {
  const row = await tx.first(active, [realmId]);
  return row?.ids ?? [];
}
