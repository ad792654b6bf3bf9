import type { Database, Prisma } from "@carillon/db";
import { type NewChannel, insertChannel } from "@carillon/domain";
import {
  type Channel,
  type ChannelGroups,
  defaultGroups,
  groupIds,
  loadSystemGroups,
  lockChannels,
  subscribe as subscribeTo,
  unsubscribe as unsubscribeFrom,
} from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import { anonymousGroup } from "./group.ts";
import { unique } from "./unique.ts";

/** An id, or an object that has it. */
export type IdOrRow = number | { readonly id: number };

export interface TestChannel extends Channel {
  /** `messages.recipient_id` of its messages. */
  readonly recipientId: number;
}

export interface ChannelOverrides extends Partial<Omit<NewChannel, "groups" | "creatorId">> {
  /** Default: the given account, if the channel is created by one. */
  readonly creator?: IdOrRow | null;
  readonly subscribers?: readonly IdOrRow[];
  /** Permissions, by the ids of groups: `{ canSendMessageGroupId: groups["role:nobody"] }`. */
  readonly groups?: Partial<ChannelGroups>;
  readonly isArchived?: boolean;
  /** Columns that no operation can set yet, written last. */
  readonly row?: Prisma.ChannelUncheckedUpdateInput;
}

/**
 * Creates a channel without events, notices or subscribers, public by default. A private one protects its history unless
 * `historyPublicToSubscribers` is true.
 * @param creator an account, which administers it, or an organization for a channel without creator
 */
export async function channel(
  db: Database,
  creator: { readonly id: number; readonly realmId?: number },
  overrides: ChannelOverrides = {},
): Promise<TestChannel> {
  const { subscribers = [], groups, isArchived, row, ...given } = overrides;
  const realmId = creator.realmId ?? creator.id;
  const maker = given.creator ?? (creator.realmId === undefined ? null : creator);
  const creatorId = maker === null ? null : idOf(maker);
  return db.transaction(async (tx) => {
    const defaults = groupIds(
      defaultGroups(channelPermissions, await loadSystemGroups(tx, realmId)),
    );
    const own =
      creatorId === null
        ? {}
        : { canAdministerChannelGroupId: await anonymousGroup(tx, realmId, [creatorId]) };
    const made = await insertChannel(tx, realmId, {
      name: unique("channel"),
      ...given,
      creatorId,
      groups: { ...defaults, ...own, ...groups },
    });
    if (!made) throw new Error(`the organization has a channel ${given.name} already`);
    await subscribeTo(tx, [{ channelId: made.id }], subscribers.map(idOf));
    const changes = { ...row, ...(isArchived === undefined ? {} : { isArchived }) };
    const prisma = await tx.prisma();
    if (Object.keys(changes).length > 0) {
      await prisma.channel.update({ where: { id: made.id }, data: changes });
    }
    const { recipient, ...stored } = await prisma.channel.findUniqueOrThrow({
      where: { id: made.id },
      include: { recipient: true },
    });
    const { firstMessageId, dateCreated, ...columns } = stored;
    return {
      ...made,
      ...columns,
      firstMessageId: firstMessageId === null ? null : Number(firstMessageId),
      dateCreated: Math.floor(dateCreated.getTime() / 1_000),
      recipientId: recipient?.id ?? 0,
    };
  });
}

/** Changes columns of the channel, without events: `{ isArchived: true }`. */
export async function changeChannel(
  db: Database,
  channelId: IdOrRow,
  row: Prisma.ChannelUncheckedUpdateInput,
): Promise<void> {
  await db.prisma.channel.update({ where: { id: idOf(channelId) }, data: row });
}

/** Subscribes accounts, without events. */
export async function subscribe(
  db: Database,
  channelId: IdOrRow,
  ...whom: IdOrRow[]
): Promise<void> {
  const id = idOf(channelId);
  await db.transaction(async (tx) => {
    await lockChannels(tx, [id]);
    await subscribeTo(tx, [{ channelId: id }], whom.map(idOf));
  });
}

/** Unsubscribes accounts, without events; their rows stay. */
export async function unsubscribe(
  db: Database,
  channelId: IdOrRow,
  ...whom: IdOrRow[]
): Promise<void> {
  const id = idOf(channelId);
  await db.transaction(async (tx) => {
    await lockChannels(tx, [id]);
    await unsubscribeFrom(tx, [id], whom.map(idOf));
  });
}

/** Changes what one account set for the channel: `{ isMuted: true }`. */
export async function changeSubscription(
  db: Database,
  channelId: IdOrRow,
  whom: IdOrRow,
  row: Prisma.SubscriptionUncheckedUpdateInput,
): Promise<void> {
  const channelId_userId = { channelId: idOf(channelId), userId: idOf(whom) };
  await db.prisma.subscription.update({ where: { channelId_userId }, data: row });
}

/** Returns the id. */
export function idOf(whom: IdOrRow): number {
  return typeof whom === "number" ? whom : whom.id;
}
