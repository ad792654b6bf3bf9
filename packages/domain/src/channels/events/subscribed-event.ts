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
  const common = new Map<number, OwnFields>();
  const byUser = new Map<number, Map<number, OwnFields>>();
  for (const subscription of added) {
    const { userId, channelId } = subscription;
    if (!channels.has(channelId)) continue;
    const fields = ownFields(subscription);
    if (!common.has(channelId)) common.set(channelId, fields);
    const own = byUser.get(userId);
    if (own) own.set(channelId, fields);
    else byUser.set(userId, new Map([[channelId, fields]]));
  }
  const audience = [...byUser.keys()];
  const inherited = inheritedOf.get(audience[0]!);
  if (!inherited) return [];
  const subscriptions = [...common]
    .sort(([a], [b]) => a - b)
    .flatMap(([id, fields]) => {
      const channel = channels.get(id);
      return channel ? [inOrder(channel, fields)] : [];
    });
  const exceptions = [...byUser].flatMap(([userId, own]) => {
    const difference: OwnSubscriptions = {
      ...(own.size < common.size ? { only: [...own.keys()] } : {}),
      ...different(common, own),
    };
    const theirs = inheritedOf.get(userId);
    const unlike = !theirs || theirs === inherited ? {} : { inherited: theirs };
    const fields = { ...difference, ...unlike };
    return Object.keys(fields).length > 0 ? [[userId, fields] as const] : [];
  });
  const userData = Object.fromEntries(exceptions);
  return [
    subscriptionsAdded(
      { subscriptions, inherited, ...marks },
      { audience, ...(exceptions.length > 0 ? { userData } : {}) },
    ),
  ];
}

function inOrder(
  { subscribers, ...channel }: ChannelObject & { subscribers: number[] },
  fields: OwnFields,
): SubscriptionObject & { subscribers: number[] } {
  return { ...channel, ...fields, subscribers };
}

/** The settings of an account that are not those that the log has for everybody, by channel. */
function different(
  common: ReadonlyMap<number, OwnFields>,
  own: ReadonlyMap<number, OwnFields>,
): Pick<OwnSubscriptions, "settings"> {
  const unlike = [...own].flatMap(([channelId, fields]) => {
    const usual = common.get(channelId);
    if (usual === fields) return [];
    const entries = (Object.keys(fields) as Array<keyof OwnFields>)
      .filter((name) => fields[name] !== usual?.[name])
      .map((name) => [name, fields[name]] as const);
    return entries.length > 0 ? [[channelId, Object.fromEntries(entries)] as const] : [];
  });
  return unlike.length > 0 ? { settings: Object.fromEntries(unlike) } : {};
}
