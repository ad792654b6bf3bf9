import {
  type LoggedFields,
  type NewEvent,
  type OwnFieldsOf,
  subscriptionsAdded,
  type ChannelObject,
  type SubscriptionObject,
} from "@carillon/contract";
import {
  type InheritedNotifications,
  type OwnFields,
  type Subscription,
  type SubscriptionPair,
  ownFields,
} from "@carillon/model";

/** What one receiver's subscriptions have of their own. */
type OwnSubscriptions = OwnFieldsOf<typeof subscriptionsAdded>;

/**
 * The event that tells accounts of their new subscriptions, one for all of them: the channels and the lists of their
 * subscribers lie in the log once, with the settings of the first account that has each; of the others it keeps what
 * differs. An event for each account, or for each that looks alike, would be accounts × channels × subscribers.
 * @param channels by id, with their subscribers; what is not there is not told
 * @param marks of an event that only some clients are told
 */
export function subscribedEvent(
  added: readonly Subscription[],
  channels: ReadonlyMap<number, ChannelObject & { subscribers: number[] }>,
  inheritedOf: ReadonlyMap<number, InheritedNotifications>,
  marks: Pick<LoggedFields<typeof subscriptionsAdded>, "for_clients_without"> = {},
): NewEvent[] {
  const told = added.filter(({ channelId }) => channels.has(channelId));
  const common = new Map<number, Subscription>();
  const channelsOf = new Map<number, number>();
  const settingsOf = new Map<number, Record<string, Settings>>();
  // Few objects for each account: there may be thousands.
  for (const subscription of told) {
    const { userId, channelId } = subscription;
    channelsOf.set(userId, (channelsOf.get(userId) ?? 0) + 1);
    const usual = common.get(channelId);
    if (!usual) common.set(channelId, subscription);
    else if (!isAlike(subscription, usual)) {
      const settings = settingsOf.get(userId) ?? {};
      settings[channelId] = difference(subscription, usual);
      settingsOf.set(userId, settings);
    }
  }
  const audience = [...channelsOf.keys()];
  const inherited = inheritedOf.get(audience[0]!);
  if (!inherited) return [];
  const subscriptions = [...common]
    .sort(([a], [b]) => a - b)
    .flatMap(([id, subscription]) => {
      const channel = channels.get(id);
      return channel ? [inOrder(channel, ownFields(subscription))] : [];
    });
  const onlyOf = listed(told, (userId) => (channelsOf.get(userId) ?? 0) < common.size);
  const userData: Record<string, OwnSubscriptions> = {};
  for (const userId of audience) {
    const [only, settings, theirs] = [
      onlyOf.get(userId),
      settingsOf.get(userId),
      inheritedOf.get(userId),
    ];
    const isUnlike = theirs !== undefined && theirs !== inherited;
    if (only || settings || isUnlike)
      userData[userId] = {
        ...(only ? { only } : {}),
        ...(settings ? { settings } : {}),
        ...(isUnlike ? { inherited: theirs } : {}),
      };
  }
  const own = Object.keys(userData).length > 0 ? { userData } : {};
  return [subscriptionsAdded({ subscriptions, inherited, ...marks }, { audience, ...own })];
}

function inOrder(
  { subscribers, ...channel }: ChannelObject & { subscribers: number[] },
  fields: OwnFields,
): SubscriptionObject & { subscribers: number[] } {
  return { ...channel, ...fields, subscribers };
}

type Settings = NonNullable<OwnSubscriptions["settings"]>[string];

const settingNames = [
  "color",
  "isMuted",
  "pinToTop",
  "desktopNotifications",
  "audibleNotifications",
  "pushNotifications",
  "emailNotifications",
  "wildcardMentionsNotify",
] as const;

function isAlike(one: Subscription, other: Subscription): boolean {
  return settingNames.every((name) => one[name] === other[name]);
}

/** What of an account's settings is not as the log has it for everybody. */
function difference(subscription: Subscription, usual: Subscription): Settings {
  const [own, common] = [ownFields(subscription), ownFields(usual)];
  const names = Object.keys(own) as Array<keyof OwnFields>;
  return Object.fromEntries(
    names.filter((name) => own[name] !== common[name]).map((name) => [name, own[name]]),
  );
}

/** The channels of those accounts for which that is asked. */
function listed(
  pairs: readonly SubscriptionPair[],
  isWanted: (userId: number) => boolean,
): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (const { userId, channelId } of pairs) {
    if (!isWanted(userId)) continue;
    const list = lists.get(userId);
    if (list) list.push(channelId);
    else lists.set(userId, [channelId]);
  }
  return lists;
}
