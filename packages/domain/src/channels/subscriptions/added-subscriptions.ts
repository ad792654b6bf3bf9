import type { Account, Channel, Subscription } from "@carillon/model";

export interface AddedSubscriptions {
  /** Names of channels, by account id. */
  readonly subscribed: Record<string, string[]>;
  readonly alreadySubscribed: Record<string, string[]>;
  /** Channels that the actor may not use, by the names that were asked for. */
  readonly unauthorized: string[];
  /** Whether the people concerned are told. */
  readonly told: boolean;
  /** Ids of the channels that are in the hands of the transaction. */
  readonly locked: ReadonlySet<number>;
}

/** People other than the actor, with the channels that they were subscribed to and that existed before. */
export function toBeTold(
  actor: Account,
  principals: ReadonlyArray<Pick<Account, "id" | "isBot">>,
  added: readonly Subscription[],
  created: ReadonlySet<number>,
): Map<number, number[]> {
  const people = new Set(
    principals.filter(({ id, isBot }) => !isBot && id !== actor.id).map(({ id }) => id),
  );
  const channelsByUser = new Map<number, number[]>();
  for (const { userId, channelId } of added) {
    if (!people.has(userId) || created.has(channelId)) continue;
    const list = channelsByUser.get(userId);
    if (list) list.push(channelId);
    else channelsByUser.set(userId, [channelId]);
  }
  return channelsByUser;
}

/** The names of channels, by the accounts that are subscribed to them now or were before. */
export function namesByAccount(
  channels: readonly Channel[],
  userIds: readonly number[],
  added: readonly Subscription[],
): Pick<AddedSubscriptions, "subscribed" | "alreadySubscribed"> {
  const fresh = new Set(added.map(({ userId, channelId }) => `${userId}:${channelId}`));
  const subscribed: Record<string, string[]> = {};
  const alreadySubscribed: Record<string, string[]> = {};
  for (const userId of userIds)
    for (const { id, name } of channels) {
      const list = fresh.has(`${userId}:${id}`) ? subscribed : alreadySubscribed;
      (list[userId] ??= []).push(name);
    }
  return { subscribed, alreadySubscribed };
}
