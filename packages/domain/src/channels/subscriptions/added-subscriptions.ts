import type { Channel, Subscription } from "@carillon/model";

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

/** The names of channels, by the accounts that are subscribed to them now or were before. */
export function namesByAccount(
  channels: readonly Channel[],
  userIds: readonly number[],
  added: readonly Subscription[],
): Pick<AddedSubscriptions, "subscribed" | "alreadySubscribed"> {
  const fresh = new Map(channels.map(({ id }) => [id, new Set<number>()]));
  for (const { userId, channelId } of added) fresh.get(channelId)?.add(userId);
  const subscribed: Record<string, string[]> = {};
  const alreadySubscribed: Record<string, string[]> = {};
  for (const { id, name } of channels)
    for (const userId of userIds) {
      const list = fresh.get(id)?.has(userId) ? subscribed : alreadySubscribed;
      (list[userId] ??= []).push(name);
    }
  return { subscribed, alreadySubscribed };
}
